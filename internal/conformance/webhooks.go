package conformance

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/pkg/dispatch"
)

// Webhooks serves the webhooks of a recording over HTTP, each at /<phase>/<configuration>/<webhook>, and other
// callbacks at /<name>/<name>. It records the calls, except for those about the server's own requests between and
// during the requests of a recording, and except for conversions: the caches of a server convert at any time.
type Webhooks struct {
	mocks func(configuration, webhook string) dispatch.Backend

	mu     sync.Mutex
	number map[string]int // number of calls since the last request, by webhook
	calls  []any
}

// NewWebhooks returns webhooks that answer like those of the recording.
func NewWebhooks(r *Recording) (*Webhooks, error) {
	mocks, err := backendsOf(r)
	return &Webhooks{mocks: mocks, number: map[string]int{}}, err
}

// Calls returns the calls since it was last called, in the form of a recording. The next call of each webhook counts as
// the first of a new request.
func (w *Webhooks) Calls() []any {
	w.mu.Lock()
	defer w.mu.Unlock()
	var mutating, validating []any
	for _, c := range w.calls {
		if c.(map[string]any)["phase"] == "validating" {
			validating = append(validating, c)
		} else {
			mutating = append(mutating, c)
		}
	}
	w.calls, w.number = nil, map[string]int{}
	return append(mutating, byWebhook(validating)...)
}

const admissionReviews = "admission.k8s.io/" // the group of their versions

// ServeHTTP answers a call, or applies the recorded fault.
func (w *Webhooks) ServeHTTP(to http.ResponseWriter, from *http.Request) {
	phase, webhook, found := strings.Cut(strings.TrimPrefix(from.URL.Path, "/"), "/")
	text, err := io.ReadAll(from.Body)
	if err != nil || !found {
		http.NotFound(to, from)
		return
	}
	var review struct {
		APIVersion string
		Request    struct {
			UID      types.UID
			UserInfo struct{ Username string }
		}
	}
	var whole any
	if err := json.Unmarshal(text, &whole); err != nil {
		http.Error(to, err.Error(), http.StatusBadRequest)
		return
	}
	_ = json.Unmarshal(text, &review) // invalid fields stay empty

	number := 0
	own := review.Request.UserInfo.Username == user.APIServerUser // which renews leases at any time
	if !own && phase != conversion {
		number = w.note(webhook, map[string]any{"webhook": webhook, "phase": phase, "query": from.URL.RawQuery, "review": whole})
	}
	configuration, name, found := strings.Cut(webhook, "/")
	if !found {
		configuration, name = "", webhook
	}
	call := dispatch.Call{
		Configuration: configuration, Webhook: name, Number: number,
		UID: review.Request.UID, Version: strings.TrimPrefix(review.APIVersion, admissionReviews),
	}
	if strings.HasPrefix(review.APIVersion, admissionReviews) {
		call.Review = &dispatch.Review{} // none of these mocks reads it
	}
	reply := w.mocks(configuration, name).Call(from.Context(), call.WithBody(text))
	select {
	case <-from.Context().Done():
		return
	case <-time.After(reply.Latency):
	}
	if reply.Err != nil { // close the connection
		panic(http.ErrAbortHandler)
	}
	for key, values := range reply.Header {
		to.Header()[key] = values
	}
	to.WriteHeader(reply.Status)
	_, _ = to.Write(reply.Body)
}

// note records a call, and returns how many calls the webhook had before in the same request.
func (w *Webhooks) note(webhook string, call map[string]any) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, call)
	w.number[webhook]++
	return w.number[webhook] - 1
}

// byWebhook sorts validating calls, which are made concurrently.
func byWebhook(calls []any) []any {
	slices.SortStableFunc(calls, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["webhook"].(string), b.(map[string]any)["webhook"].(string))
	})
	return calls
}
