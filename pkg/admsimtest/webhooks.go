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

// A Webhook answers for a webhook of the manifests: a [Handler], a [Func], a [Fault], or another backend of
// package dispatch, such as a mock.
type Webhook = dispatch.Backend

// Handler returns a webhook that is an HTTP handler, for Options.Webhooks.
func Handler(h http.Handler) Webhook { return dispatch.Handler(h) }

// Func returns a webhook that is a plain function over the admission types.
func Func(decide func(context.Context, *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse) Webhook {
	return dispatch.Func(decide)
}

// Fault returns a webhook that fails in this way whenever it is called, such as [dispatch.Hang]. It takes no
// real time: only the clock of the simulation waits for the timeout.
func Fault(f dispatch.Fault) Webhook {
	mock, err := dispatch.NewMock(nil, dispatch.Answer{Fault: f})
	if err != nil {
		panic(err) // there is no such fault
	}
	return mock
}

// given is who answers for the webhooks of a test, as its options say.
type given struct {
	options Options
	routes  *dispatch.Backends

	mu    sync.Mutex
	t     testing.TB      // nil once the test has ended
	met   map[string]bool // of [Options].Webhooks, those that the cluster had webhooks for
	known []string        // what webhooks were called
}

func newGiven(t testing.TB, o Options) (*given, error) {
	g := &given{options: o, t: t, met: map[string]bool{}}
	t.Cleanup(g.end)
	routes := make([]dispatch.Route, 0, len(o.Webhooks))
	for _, name := range sorted(o.Webhooks) {
		if o.Webhooks[name] == nil {
			return nil, fmt.Errorf("Webhooks[%q] is nil: who answers?", name)
		}
		routes = append(routes, dispatch.Route{Webhook: name, Backend: g.telling(o.Webhooks[name])})
	}
	var err error
	g.routes, err = dispatch.NewBackends(routes...)
	return g, err
}

// others answers for webhooks without another handler.
func (g *given) others() dispatch.Backend {
	switch {
	case g.options.Handler != nil:
		return g.telling(dispatch.Handler(g.options.Handler))
	case g.options.AllowUnanswered:
		return &dispatch.Mock{}
	}
	return nil
}

// telling has the log of the test say where a handler panics: the server sees a connection that
// closes, and no more. What the options say of timeouts holds for it, too.
func (g *given) telling(w Webhook) Webhook {
	handler, ok := w.(*dispatch.InProcess)
	if !ok {
		return w
	}
	if g.options.NoTimeouts {
		handler = handler.NoTimeouts()
	}
	return handler.OnPanic(func(c dispatch.Call, value any, stack []byte) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.t != nil {
			g.t.Logf("admsimtest: the handler of %s/%s panics: %s\n%s", c.Configuration, c.Webhook, inert.Text(fmt.Sprint(value)), stack)
		}
	})
}

// warn has the log of the test say what admsim could not do for a client.
func (g *given) warn(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.t != nil {
		g.t.Logf("admsimtest: %s", inert.Text(g.explained(err)))
	}
}

// end has handlers that go on behind the end of the test write into no log.
func (g *given) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.t = nil
}

// meet takes down what the webhooks of a cluster are called.
func (g *given) meet(sim *simulator.Simulator) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, w := range sim.Webhooks() {
		g.known = append(g.known, w.Name, w.String())
		for name := range g.options.Webhooks {
			if (dispatch.Route{Webhook: name}).Matches(w.Configuration, w.Name) {
				g.met[name] = true
			}
		}
	}
}

// unmet are the entries of [Options].Webhooks that never matched a webhook.
func (g *given) unmet() (errs []error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, name := range sorted(g.options.Webhooks) {
		if !g.met[name] {
			errs = append(errs, didyoumean.Unknown(fmt.Sprintf("no webhook is called %q, which Options.Webhooks answer for", name), name, g.known))
		}
	}
	return errs
}

// explained is what is to be said of an error of a request, with what to do about a webhook that
// nobody answers for.
func (g *given) explained(err error) string {
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
	named := make([]dispatch.Route, 0, len(g.options.Webhooks))
	for _, name := range sorted(g.options.Webhooks) {
		named = append(named, dispatch.Route{Webhook: name})
	}
	if meant := answer.Meant(named...); meant != "" {
		hint = meant
	}
	return err.Error() + "\n  hint: " + hint
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
