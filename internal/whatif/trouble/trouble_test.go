package trouble

import (
	"context"
	"slices"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif/webhooks"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/trace"
)

func webhook(configuration string, mutating bool, policy admissionregistrationv1.FailurePolicyType) *dependency.Webhook {
	return &dependency.Webhook{Configuration: configuration, Mutating: mutating, ValidatingWebhook: admissionregistrationv1.ValidatingWebhook{Name: "pods.example", FailurePolicy: &policy}}
}

// usual answers after a second.
type usual struct{}

func (usual) Call(context.Context, dispatch.Call) dispatch.Reply {
	return dispatch.Reply{Body: []byte("usual"), Latency: time.Second}
}

// In each mode a webhook in trouble answers differently; webhooks with the same name, and all others, do not.
func TestChange(t *testing.T) {
	guard := webhook("guard", false, admissionregistrationv1.Fail)
	for _, tt := range []struct {
		mode    Mode
		status  int
		body    string
		fails   bool
		latency time.Duration
	}{
		{Down, 200, "", true, 0},
		{BadTLS, 200, "", true, 0},
		{Hang, 0, "", false, dispatch.Never},
		{Error, 500, "internal server error", false, 0},
		{Slow, 0, "usual", false, 3 * time.Second},
	} {
		s := Situation{Troubles: []Webhook{{Webhook: guard, Mode: tt.mode, Latency: 2 * time.Second}}}
		resolver := s.Change(func(_, _ string) dispatch.Backend { return usual{} })
		call := func(configuration string, phase trace.Phase) dispatch.Reply {
			return resolver(configuration, "pods.example").Call(context.Background(), dispatch.Call{
				Configuration: configuration, Webhook: "pods.example", Phase: phase, URL: "https://hooks.example/", UID: "1", Version: "v1",
			})
		}
		got := call("guard", trace.Validating)
		if got.Status != tt.status || string(got.Body) != tt.body || (got.Err != nil) != tt.fails || got.Latency != tt.latency {
			t.Errorf("%s: the reply is %d %q, error %v, after %s; want %d %q, an error %v, after %s", tt.mode, got.Status, got.Body, got.Err, got.Latency, tt.status, tt.body, tt.fails, tt.latency)
		}
		for where, other := range map[string]dispatch.Reply{"of the other kind": call("guard", trace.Mutating), "of another configuration": call("other", trace.Validating)} {
			if string(other.Body) != "usual" || other.Latency != time.Second {
				t.Errorf("%s: the webhook %s replies %+v, want the usual", tt.mode, where, other)
			}
		}
	}
}

// A delay that no clock can measure is one without an end.
func TestSlowForever(t *testing.T) {
	s := Situation{Troubles: []Webhook{{Webhook: webhook("guard", false, admissionregistrationv1.Fail), Mode: Slow, Latency: 1<<63 - 1}}}
	got := s.Change(func(_, _ string) dispatch.Backend { return usual{} })("guard", "pods.example").
		Call(context.Background(), dispatch.Call{Configuration: "guard", Webhook: "pods.example", Phase: trace.Validating})
	if got.Latency != dispatch.Never {
		t.Errorf("the latency is %s, want %s", got.Latency, dispatch.Never)
	}
}

func TestIgnores(t *testing.T) {
	s := Situation{Troubles: []Webhook{{Webhook: webhook("closed", false, admissionregistrationv1.Fail)}, {Webhook: webhook("open", false, admissionregistrationv1.Ignore)}}}
	for configuration, want := range map[string]struct{ affects, ignores bool }{"closed": {true, false}, "open": {true, true}, "other": {false, false}} {
		if a, i := s.Affects(document.ValidatingWebhooks, configuration, "pods.example"), s.Ignores(document.ValidatingWebhooks, configuration, "pods.example"); a != want.affects || i != want.ignores {
			t.Errorf("%s is affected: %v, ignored: %v; want %+v", configuration, a, i, want)
		}
	}
	if s.Affects(document.MutatingWebhooks, "closed", "pods.example") {
		t.Error("a webhook of the other kind is affected")
	}
}

// Without byService, each webhook is in trouble once; with it, all webhooks of a service are in trouble together, once
// per mode.
func TestApart(t *testing.T) {
	shop := &dependency.Backend{Namespace: "shop", Name: "hooks"}
	a, b, c := webhook("a", false, admissionregistrationv1.Fail), webhook("b", true, admissionregistrationv1.Fail), webhook("c", false, admissionregistrationv1.Fail)
	hooks := []webhooks.Named{{Webhook: a, Backend: shop}, {Webhook: b, Backend: shop}, {Webhook: c}}
	troubles := append(Of(hooks, "*", Down, 0), Of(hooks, "a", Hang, 0)...)
	for _, tt := range []struct {
		byService bool
		names     []string
		sizes     []int
	}{
		{false, []string{"", "", "", ""}, []int{1, 1, 1, 1}},
		{true, []string{"service shop/hooks: down", "", "service shop/hooks: hang"}, []int{2, 1, 1}},
	} {
		var names []string
		var sizes []int
		for _, s := range Apart(hooks, troubles, tt.byService) {
			names, sizes = append(names, s.Name), append(sizes, len(s.Troubles))
		}
		if !slices.Equal(names, tt.names) || !slices.Equal(sizes, tt.sizes) {
			t.Errorf("by service %v: situations %q of %v troubles, want %q of %v", tt.byService, names, sizes, tt.names, tt.sizes)
		}
	}
}
