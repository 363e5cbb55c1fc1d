package dispatch

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// A Callback is a service other than an admission webhook that the server asks: it gets one object and returns
// it, filled in.
type Callback struct {
	Name string // its name for mocks
	URL  string // empty: see Client

	// Credentials are of a kubeconfig of its own, whose current context leads to URL. Nil: see Client.
	Credentials *Credentials

	Backend Backend
	Codec   runtime.Codec // of the only version that is spoken
	Version string        // of what is sent; for mocks
	UID     types.UID     // of what is sent, if it has one; for mocks
	Backoff time.Duration // before the first repetition of a call that failed
	Once    bool          // a call that failed is not repeated
	Timeout time.Duration // of one call; 0: 30 seconds
	Earlier int           // how many calls it got before, in the same request

	Configuration string // identifies the service together with Name, if anything does
	Client        admissionregistrationv1.WebhookClientConfig
}

// A callback is asked so often in all, if failures are of a kind that may pass; the pauses
// get longer (kubernetes/apiserver:pkg/util/webhook/webhook.go).
const (
	callbackAttempts = 5
	backoffFactor    = 1.5
)

// An Exchange is what the server and a callback sent to each other.
type Exchange struct {
	Calls []trace.Call
	Took  time.Duration
	// Failed is why there is no answer, in the words of the server's client.
	Failed error
}

// Ask sends object and reads the answer into answer. An error means that admsim cannot know what the server
// would do.
func (b Callback) Ask(ctx context.Context, req admission.Request, object, answer runtime.Object) (Exchange, error) {
	text, err := runtime.Encode(b.Codec, object)
	if err != nil {
		return Exchange{}, fmt.Errorf("callback %s: %w", b.Name, err)
	}
	u, err := b.url()
	if err != nil {
		return Exchange{}, fmt.Errorf("callback %s: %w", b.Name, err)
	}
	request := Call{
		Configuration: b.Configuration,
		Webhook:       b.Name,
		Phase:         trace.Validating,
		Client:        b.Client,
		URL:           u.String() + timeoutQuery(cmp.Or(b.Timeout, clientLimit)),
		Version:       b.Version,
		UID:           b.UID,
		body:          fixed(text),
		credentials:   b.Credentials,
	}
	c := &call{hook: Hook{Name: b.Name, Backend: b.Backend, Earlier: b.Earlier}, limit: cmp.Or(b.Timeout, clientLimit)}
	pause := b.Backoff
	for attempt := 1; ; attempt++ {
		failed, err := b.once(ctx, c, req, request, answer)
		if err != nil {
			return Exchange{}, err
		}
		if b.Once || !passes(failed) || attempt == callbackAttempts {
			return Exchange{Calls: c.made, Took: c.spent, Failed: failed}, nil
		}
		c.spent += pause
		pause = time.Duration(float64(pause) * backoffFactor)
	}
}

// url is where the server posts to, found as for admission webhooks, whose client it is as well
// (W-143..W-146).
func (b Callback) url() (*url.URL, error) {
	client := b.Client
	if b.URL != "" {
		client.URL = &b.URL
	}
	return urlOf(client)
}

// once makes one call of those that it may take.
func (b Callback) once(ctx context.Context, c *call, req admission.Request, request Call, answer runtime.Object) (failed, err error) {
	a := allowance{time: Never}
	if left, limited := req.Remaining(); limited {
		a.time = left
	}
	if a.time <= c.spent {
		return context.DeadlineExceeded, nil
	}
	r, failed, err := c.exchange(ctx, request, a)
	if failed != nil || err != nil {
		return failed, err
	}
	return r.into(b.Codec, answer), nil
}

// passes reports whether a failure may be gone the next time.
func passes(failed error) bool {
	if failed == nil {
		return false
	}
	_, delay := apierrors.SuggestsClientDelay(failed)
	return delay || apierrors.IsInternalError(failed) || apierrors.IsTimeout(failed) || apierrors.IsTooManyRequests(failed) ||
		utilnet.IsConnectionReset(failed) || utilnet.IsHTTP2ConnectionLost(failed)
}
