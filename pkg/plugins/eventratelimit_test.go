package plugins

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A cluster may be used with another configuration, with fewer or more limits than those remembered.
func TestEventLimitsChange(t *testing.T) {
	const head = "apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\nlimits:\n"
	const server, user = "- {type: Server, qps: 1, burst: 1}\n", "- {type: User, qps: 1, burst: 1}\n"
	w := newWorld(t, "AlwaysAdmit", &txtar.Archive{})
	req := w.request(t, "create events shop/one", []byte("apiVersion: v1\nkind: Event\nmetadata: {name: one, namespace: shop}"))
	for _, tt := range []struct{ configuration, want string }{
		{head + server, "below all limits"},
		{head + server + user, "limit reached on type Server for key "},
		{head + server, "limit reached on type Server for key "},
	} {
		p, _, err := build("EventRateLimit", w.options(t, []byte(tt.configuration)))
		if err != nil {
			t.Fatal(err)
		}
		step, err := p.Validator.Validate(t.Context(), w.State, req)
		if err != nil || step.Because != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.configuration, step.Because, err, tt.want)
		}
		w.State = w.State.Remembering("EventRateLimit", step.Did().Memory)
	}
}
