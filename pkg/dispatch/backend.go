package dispatch

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/trace"
)

// A Backend answers for a webhook: a mock, a process, a service in a cluster. Several calls
// may run at once.
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
	Timeout time.Duration // how long the answer may take
	Body    []byte        // the AdmissionReview; not to be changed
	UID     types.UID     // of the review
	Version string        // of the review: v1 or v1beta1
	Review  *Review       // what Body was made from
}

// A Reply is what came back.
type Reply struct {
	Status int // 0: 200
	Header http.Header
	Body   []byte

	// Err is why there was no answer, in the words of Go's HTTP client; `Post "<url>": ` is
	// put in front where it is missing. A [*NoAnswerError] says that nobody knows.
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
}

func (e *NoAnswerError) Error() string {
	return fmt.Sprintf("no answer for webhook %s/%s: %s", e.Configuration, e.Webhook, e.Reason)
}
