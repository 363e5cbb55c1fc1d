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
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// ConversionWebhook is the name of a CRD's conversion webhook, and of the step in which it is called. Its configuration
// is the name of the CRD, as in widgets.example.com/conversion.
const ConversionWebhook = "conversion"

// A Callback is a service other than an admission webhook that the server calls: it gets one object and returns it,
// filled in.
type Callback struct {
	Name string // its name for mocks
	URL  string // empty: see Client

	// Credentials are those of a separate kubeconfig, whose current context points to URL. Nil: see Client.
	Credentials *Credentials

	Backend Backend
	Codec   runtime.Codec // for the only version that is supported
	Version string        // of the object that is sent; for mocks
	UID     types.UID     // of the object that is sent, if it has one; for mocks
	Backoff time.Duration // before the first repetition of a failed call
	Once    bool          // do not repeat a failed call
	Timeout time.Duration // of one call; 0: 30 seconds
	Earlier int           // number of earlier calls in the same request

	Release *kubeversion.Release // whose server makes the call; nil: the newest

	Configuration string // identifies the service together with Name; may be empty
	Client        admissionregistrationv1.WebhookClientConfig
}

// A callback is called up to callbackAttempts times if failures are of a kind that may pass. The pauses get longer
// (kubernetes/apiserver:pkg/util/webhook/webhook.go).
const (
	callbackAttempts = 5
	backoffFactor    = 1.5
)

// An Exchange holds what the server and a callback sent to each other.
type Exchange struct {
	Calls []trace.Call
	Took  time.Duration
	// Failed is why there is no answer, in the words of the server's client.
	Failed error
}

// Ask sends object and decodes the answer into answer. An error means that admsim cannot know what the server would do.
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
		release:       b.Release,
	}
	c := &call{hook: Hook{Name: b.Name, Backend: b.Backend, Earlier: b.Earlier}, limit: cmp.Or(b.Timeout, clientLimit)}
	pause := b.Backoff
	for attempt := 1; ; attempt++ {
		failed, err := b.once(ctx, c, req, request, answer)
		if err != nil {
			return Exchange{}, err
		}
		if b.Once || !isTransient(failed) || attempt == callbackAttempts {
			return Exchange{Calls: c.made, Took: c.spent, Failed: failed}, nil
		}
		c.spent += pause
		pause = time.Duration(float64(pause) * backoffFactor)
	}
}

// url returns the URL that the server posts to. It is determined as for admission webhooks, which use the same client
// (W-143..W-146).
func (b Callback) url() (*url.URL, error) {
	client := b.Client
	if b.URL != "" {
		client.URL = &b.URL
	}
	return urlOf(client)
}

// once makes one of the calls.
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

// isTransient reports whether a failure may be gone the next time.
func isTransient(failed error) bool {
	if failed == nil {
		return false
	}
	_, delay := apierrors.SuggestsClientDelay(failed)
	return delay || apierrors.IsInternalError(failed) || apierrors.IsTimeout(failed) || apierrors.IsTooManyRequests(failed) ||
		utilnet.IsConnectionReset(failed) || utilnet.IsHTTP2ConnectionLost(failed)
}
