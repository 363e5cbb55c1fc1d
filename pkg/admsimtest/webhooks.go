package admsimtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Webhook answers for a webhook of the manifests: a [Handler], a [Func], a [Fault], or another backend of package
// dispatch, such as a mock.
type Webhook = dispatch.Backend

// Handler returns a webhook that calls an HTTP handler, for Options.Webhooks.
func Handler(h http.Handler) Webhook { return dispatch.Handler(h) }

// Func returns a webhook that calls a plain function over the admission types.
func Func(decide func(context.Context, *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse) Webhook {
	return dispatch.Func(decide)
}

// Fault returns a webhook that fails in the given way whenever it is called, such as [dispatch.Hang]. It takes no real
// time: only the simulated clock waits for the timeout.
func Fault(f dispatch.Fault) Webhook {
	mock, err := dispatch.NewMock(nil, dispatch.Answer{Fault: f})
	if err != nil {
		panic(err) // the fault does not exist
	}
	return mock
}

// handlers answers for the webhooks of a test, as its options say.
type handlers struct {
	options Options
	routes  *dispatch.Backends

	mu      sync.Mutex
	t       testing.TB      // nil once the test has ended
	matched map[string]bool // names in [Options].Webhooks that matched a webhook of the cluster
	known   []string        // names of all webhooks so far
}

func newHandlers(t testing.TB, o Options) (*handlers, error) {
	h := &handlers{options: o, t: t, matched: map[string]bool{}}
	t.Cleanup(h.end)
	routes := make([]dispatch.Route, 0, len(o.Webhooks))
	for _, name := range sorted(o.Webhooks) {
		if o.Webhooks[name] == nil {
			return nil, fmt.Errorf("Webhooks[%q] is nil: who answers?", name)
		}
		routes = append(routes, dispatch.Route{Webhook: name, Backend: h.logged(o.Webhooks[name])})
	}
	var err error
	h.routes, err = dispatch.NewBackends(routes...)
	return h, err
}

// fallback answers for webhooks without another handler.
func (h *handlers) fallback() dispatch.Backend {
	switch {
	case h.options.Handler != nil:
		return h.logged(dispatch.Handler(h.options.Handler))
	case h.options.AllowUnanswered:
		return &dispatch.Mock{}
	}
	return nil
}

// logged logs where a handler panics: the server only sees that the connection closes. It also applies the timeouts in
// the options.
func (h *handlers) logged(w Webhook) Webhook {
	handler, ok := w.(*dispatch.InProcess)
	if !ok {
		return w
	}
	if h.options.NoTimeouts {
		handler = handler.NoTimeouts()
	}
	return handler.OnPanic(func(c dispatch.Call, value any, stack []byte) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.t != nil {
			h.t.Logf("admsimtest: the handler of %s/%s panics: %s\n%s", c.Configuration, c.Webhook, inert.Text(fmt.Sprint(value)), stack)
		}
	})
}

// warn logs what admsim could not do for a client.
func (h *handlers) warn(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.t != nil {
		h.t.Logf("admsimtest: %s", inert.Text(h.explained(err)))
	}
}

// end keeps handlers that run longer than the test from writing to its log.
func (h *handlers) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.t = nil
}

// note records the names of the webhooks of a cluster.
func (h *handlers) note(sim *simulator.Simulator) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range sim.Webhooks() {
		h.known = append(h.known, w.Name, w.String())
		for name := range h.options.Webhooks {
			if (dispatch.Route{Webhook: name}).Matches(w.Configuration, w.Name) {
				h.matched[name] = true
			}
		}
	}
}

// unmatched returns an error for each entry of [Options].Webhooks that never matched a webhook.
func (h *handlers) unmatched() (errs []error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range sorted(h.options.Webhooks) {
		if !h.matched[name] {
			errs = append(errs, didyoumean.Unknown(fmt.Sprintf("no webhook is called %q, which Options.Webhooks answer for", name), name, h.known))
		}
	}
	return errs
}

// explained returns the text of the error of a request, with a hint if a webhook has no handler.
func (h *handlers) explained(err error) string {
	var (
		answer *dispatch.NoAnswerError
		nobody *dispatch.NoBackendError
	)
	if refused := (*consent.Refusal)(nil); errors.As(err, &refused) {
		return err.Error() + "\n  hint: " + refused.Hint
	}
	if !errors.As(err, &answer) || !errors.As(err, &nobody) {
		return err.Error()
	}
	hint := "give the test a Handler, name the webhook in Webhooks, or have AllowUnanswered let it allow everything"
	named := make([]dispatch.Route, 0, len(h.options.Webhooks))
	for _, name := range sorted(h.options.Webhooks) {
		named = append(named, dispatch.Route{Webhook: name})
	}
	if meant := answer.Meant(named...); meant != "" {
		hint = meant
	}
	return err.Error() + "\n  hint: " + hint
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
