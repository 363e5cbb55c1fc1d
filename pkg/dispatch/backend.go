package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"golang.org/x/net/http2"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/trace"
)

// A Backend answers for a webhook: a mock, a process, a service in a cluster. Several calls
// may run at once. One that panics ends whoever asked: that is a bug of its own, and nothing
// that the server would have done; see [Reply.Panic].
type Backend interface {
	Call(ctx context.Context, c Call) Reply
}

// A Call is one HTTP request to a webhook.
type Call struct {
	Configuration, Webhook string
	Phase                  trace.Phase
	Number                 int // how many calls the webhook had before in the same request

	Client  admissionregistrationv1.WebhookClientConfig
	URL     string        // with the query
	After   time.Duration // how long the answer before asked to wait; part of the account already
	Timeout time.Duration // how long the answer may take
	UID     types.UID     // of the review
	Version string        // of the review: v1 or v1beta1
	Review  *Review       // what Body is made from

	body *body
}

// Body is the AdmissionReview as it is sent, and not to be changed. It is put together when
// somebody asks for it first.
func (c Call) Body() ([]byte, error) { return c.body.bytes() }

// A Reply is what came back.
type Reply struct {
	Status int // 0: 200
	Header http.Header
	Body   []byte

	// Err is why there was no answer, in the words of Go's HTTP client; `Post "<url>": ` is
	// put in front where it is missing. A [*BrokenAnswerError] is an answer that did not
	// come to its end, a [*NoClientError] a call that could not be made at all. A
	// [*NoAnswerError] says that nobody knows.
	Err error

	// Latency is how long it took until the answer was there. Longer than the call may
	// take, and the rest of the Reply does not matter.
	Latency time.Duration

	// Panic is what the API server panics with while it makes the call.
	Panic any
}

// Never is the latency of an answer that does not come.
const Never = time.Duration(math.MaxInt64)

// A NoAnswerError says that admsim does not know what a webhook answers.
type NoAnswerError struct {
	Configuration, Webhook string
	Reason                 string
	Err                    error // what caused it, where a caller may want to look inside
}

func (e *NoAnswerError) Error() string {
	return fmt.Sprintf("no answer for webhook %s/%s: %s", e.Configuration, e.Webhook, e.Reason)
}

func (e *NoAnswerError) Unwrap() error { return e.Err }

// Meant is the hint which backend was probably meant to be that of the webhook, of these and of those declared
// for others, with the place where it is said; or "".
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

// A NoBackendError says that nobody was named who answers for a webhook.
type NoBackendError struct {
	Known []Route // whom somebody was named for
}

func (e *NoBackendError) Error() string { return "no backend is declared for it" }

// A Trusting backend may settle for itself whom it trusts, so that the caBundle of the
// webhook's configuration is not looked at.
type Trusting interface {
	Backend
	TrustsItself() bool
}

// A Prompt backend has its answers without waiting for anybody, so that nothing is gained by
// asking it beside others.
type Prompt interface {
	Backend
	AnswersAtOnce() bool
}

func answersAtOnce(b Backend) bool {
	p, ok := b.(Prompt)
	return ok && p.AnswersAtOnce()
}

// A BrokenAnswerError is an answer whose headers came, and whose body did not to its end
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

// A NoClientError says why the server could not make a client for a webhook, and so sent
// nothing (W-155).
type NoClientError struct{ Err error }

func (e *NoClientError) Error() string { return e.Err.Error() }
func (e *NoClientError) Unwrap() error { return e.Err }
