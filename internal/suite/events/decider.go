package events

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// NamespaceLifecycle is the plugin that says for the API server that there is no such namespace.
const NamespaceLifecycle = "NamespaceLifecycle"

// A Decider is who ended a request: a webhook or policy of a plugin, a plugin by itself, or
// with nothing set the API server outside of admission.
type Decider struct {
	Plugin, Configuration, Name string
	Definition                  bool // of the API server: a CustomResourceDefinition decided
	Hint                        string
}

func (d Decider) String() string {
	switch {
	case d.Plugin == "":
		return "the API server"
	case d.Configuration == "":
		return "plugin " + d.Plugin
	}
	kind := map[string]string{
		MutatingWebhooks: "mutating webhook", ValidatingWebhooks: "validating webhook",
		MutatingPolicies: "policy", ValidatingPolicies: "policy",
	}[d.Plugin]
	return cmp.Or(kind, d.Plugin) + " " + strings.TrimSuffix(d.Configuration+"/"+d.Name, "/")
}

// DeciderOf is who ended a request.
func DeciderOf(answer *simulator.Result) (d Decider) {
	if len(answer.Admissions) == 0 {
		return d
	}
	steps := answer.Admissions[len(answer.Admissions)-1].Steps
	if len(steps) == 0 {
		return d
	}
	last := steps[len(steps)-1]
	if !last.Outcome.Ends() {
		return d
	}
	if last.Phase == trace.Server {
		d.Definition = last.Decider() != nil
		return d
	}
	d.Plugin, d.Hint = last.Plugin, last.Hint
	if h := last.Decider(); h != nil {
		d.Configuration, d.Name = h.Configuration, h.Name
	}
	return d
}

// Is reports whether d is who is to deny, by an answer with this code.
func (d Decider) Is(want scenario.DeniedBy, code int) bool {
	switch {
	case want.Server:
		return d.Plugin == ""
	case want.Validation:
		return d.Plugin == "" && code == http.StatusUnprocessableEntity
	case want.Plugin != "":
		return d.Plugin == want.Plugin
	case want.MutatingWebhook != "":
		return d.Plugin == MutatingWebhooks && dispatch.Route{Webhook: want.MutatingWebhook}.Matches(d.Configuration, d.Name)
	case want.ValidatingWebhook != "":
		return d.Plugin == ValidatingWebhooks && dispatch.Route{Webhook: want.ValidatingWebhook}.Matches(d.Configuration, d.Name)
	}
	if d.Plugin != ValidatingPolicies && d.Plugin != MutatingPolicies {
		return false
	}
	return (want.Policy == "" || NamesPolicy(want.Policy, d.Configuration, d.Name)) && (want.Binding == "" || NamesBinding(want.Binding, d.Name))
}
