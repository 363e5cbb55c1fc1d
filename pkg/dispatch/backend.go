package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http2"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// A Backend answers the calls of a webhook: a mock, a process, a service in a cluster. Several calls may run
// concurrently. A panic of a Backend is not recovered, because it is a bug of the Backend and not a panic of the
// server; for the latter see [Reply.Panic].
type Backend interface {
	Call(ctx context.Context, c Call) Reply
}

// A Call is one HTTP request to a webhook.
type Call struct {
	Configuration, Webhook string
	Phase                  trace.Phase
	Number                 int // number of earlier calls of the webhook in the same admission
	Before                 int // number of calls in earlier admissions of the same request

	Client  admissionregistrationv1.WebhookClientConfig
	URL     string        // including the query
	After   time.Duration // how long the previous answer asked to wait; already included in the time of the call
	Timeout time.Duration // how long the answer may take
	UID     types.UID     // of the review
	Version string        // of the review: v1 or v1beta1
	Review  *Review       // the source of Body
	From    *From         // nil for webhooks of conversions and of other plugins

	body        *body
	credentials *Credentials         // of a kubeconfig for this service alone; nil: those of the phase
	release     *kubeversion.Release // whose server makes the call; nil: the newest
}

// From is the cluster that a call comes from, as it is at that step of the request. Concurrent calls of one request
// have the same From; calls of other requests never do.
type From struct {
	State *cluster.State
	At    func(*cluster.State) (Cluster, error) // returns the Cluster that answers requests in a given state
}

// A Cluster answers requests. It is a *simulator.Simulator.
type Cluster interface{ State() *cluster.State }

// Body returns the AdmissionReview as it is sent. It is built when it is first needed, and must not be modified.
func (c Call) Body() ([]byte, error) { return c.body.bytes() }

// WithBody returns c with the body that a server received.
func (c Call) WithBody(text []byte) Call {
	c.body = fixed(text)
	return c
}

// A Reply is the result of a call.
type Reply struct {
	Status int // 0: 200
	Header http.Header
	Body   []byte

	// Err is why there was no answer, worded like an error of Go's HTTP client; the prefix `Post "<url>": ` is added if
	// it is missing. A [*BrokenAnswerError] is an answer that ended too early, a [*NoClientError] a call that could not
	// be made, and a [*NoAnswerError] an answer that admsim cannot know.
	Err error

	// Latency is how long the answer took. If it is longer than the timeout of the call, the rest of the Reply does not
	// matter.
	Latency time.Duration

	// Changes are the changes that the webhook made to the cluster in the meantime, through requests of its own.
	Changes []cluster.Change

	// Assumed explains why it is not known whether the webhook answers like this. Empty: it is known.
	Assumed string

	// Output is the output of the webhook's program for a call that failed.
	Output string

	// Panic is the value with which the API server panics during the call.
	Panic any
}

// Never is the latency of an answer that never comes.
const Never = time.Duration(math.MaxInt64)

// A NoAnswerError reports that admsim does not know how a webhook answers.
type NoAnswerError struct {
	Configuration, Webhook string
	Reason                 string
	Err                    error // the cause
}

func (e *NoAnswerError) Error() string {
	name := strings.TrimPrefix(e.Configuration+"/"+e.Webhook, "/") // the service of ImagePolicyWebhook has no configuration
	return fmt.Sprintf("no answer for webhook %s: %s", name, e.Reason)
}

func (e *NoAnswerError) Unwrap() error { return e.Err }

// Meant returns a hint: the backend that was probably meant for the webhook, among known and the backends declared for
// other webhooks, and where it is declared. It is empty if no name is similar.
func (e *NoAnswerError) Meant(known ...Route) string {
	var nobody *NoBackendError
	if errors.As(e.Err, &nobody) {
		known = slices.Concat(known, nobody.Known)
	}
	names := make([]string, len(known))
	for i, r := range known {
		names[i] = r.Webhook
	}
	near := cmp.Or(didyoumean.Nearest(e.Webhook, names), didyoumean.Nearest(e.Configuration+"/"+e.Webhook, names))
	if near == "" {
		return ""
	}
	at := known[slices.Index(names, near)].At
	if at != "" {
		at = " (" + at + ")"
	}
	return fmt.Sprintf("there is a backend of %q%s: did you mean that one?", near, at)
}

// A NoBackendError reports that no backend is declared for a webhook.
type NoBackendError struct {
	Known []Route // the backends of other webhooks
}

func (e *NoBackendError) Error() string { return "no backend is declared for it" }

// A Trusting backend may decide itself which servers it trusts. If it does, the caBundle of the webhook's configuration
// is ignored.
type Trusting interface {
	Backend
	TrustsItself() bool
}

// AnswersAtOnce reports whether b has a method AnswersAtOnce that returns true: there is no advantage in calling it
// concurrently with others.
func AnswersAtOnce(b Backend) bool {
	prompt, ok := b.(interface{ AnswersAtOnce() bool })
	return ok && prompt.AnswersAtOnce()
}

// A BrokenAnswerError means that the headers of an answer arrived, but not its whole body
// (kubernetes/client-go:rest/request.go, transformResponse).
type BrokenAnswerError struct{ Err error }

func (e *BrokenAnswerError) Error() string {
	what := "unexpected error when reading response body"
	if stream := (http2.StreamError{}); errors.As(e.Err, &stream) {
		what = "stream error when reading response body, may be caused by closed connection"
	}
	return fmt.Sprintf("%s. Please retry. Original error: %v", what, e.Err)
}

func (e *BrokenAnswerError) Unwrap() error { return e.Err }

// A NoClientError says why the server could not create a client for a webhook, and so sent nothing (W-155).
type NoClientError struct{ Err error }

func (e *NoClientError) Error() string { return e.Err.Error() }
func (e *NoClientError) Unwrap() error { return e.Err }
