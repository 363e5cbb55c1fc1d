package events

import (
	"cmp"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// NamespaceLifecycle is the plugin that reports for the API server that a namespace does not exist.
const NamespaceLifecycle = "NamespaceLifecycle"

// A Decider is what ended a request: a webhook or policy of a plugin, a plugin itself, or if nothing is set, the API
// server outside of admission.
type Decider struct {
	Plugin, Configuration, Name string
	Definition                  bool // for the API server: a CustomResourceDefinition decided
	Hint                        string
	Said                        string // its own message, with which the message of the answer ends; may be empty
}

func (d Decider) String() string {
	switch {
	case d.Plugin == "":
		return "the API server"
	case d.Configuration == "":
		return "plugin " + d.Plugin
	}
	kind := map[string]string{
		document.MutatingWebhooks: "mutating webhook", document.ValidatingWebhooks: "validating webhook",
		document.MutatingPolicies: "policy", document.ValidatingPolicies: "policy",
	}[d.Plugin]
	return cmp.Or(kind, d.Plugin) + " " + strings.TrimSuffix(d.Configuration+"/"+d.Name, "/")
}

// DeciderOf returns what ended a request.
func DeciderOf(answer *simulator.Result) (d Decider) {
	step := answer.DeniedBy
	if step == nil {
		return d
	}
	h := step.Decider()
	if step.Phase == trace.Server {
		d.Definition = h != nil
		return d
	}
	d.Plugin, d.Hint = step.Plugin, step.Hint
	if h != nil {
		d.Configuration, d.Name = h.Configuration, h.Name
		d.Said = ownWords(h.Denial)
	}
	return d
}

// ownWords returns the message of a webhook or policy, without the server's words before it.
func ownWords(denial *metav1.Status) string {
	if denial == nil {
		return ""
	}
	for _, server := range []string{" denied the request: ", " denied request: "} {
		if _, said, found := strings.Cut(denial.Message, server); found {
			return said
		}
	}
	return ""
}

// Is reports whether d is what should deny a request, given the code of the answer.
func (d Decider) Is(want scenario.DeniedBy, code int) bool {
	switch {
	case want.Server:
		return d.Plugin == ""
	case want.Validation:
		return d.Plugin == "" && code == http.StatusUnprocessableEntity
	case want.Plugin != "":
		return d.Plugin == want.Plugin
	case want.MutatingWebhook != "":
		return d.Plugin == document.MutatingWebhooks && dispatch.Route{Webhook: want.MutatingWebhook}.Matches(d.Configuration, d.Name)
	case want.ValidatingWebhook != "":
		return d.Plugin == document.ValidatingWebhooks && dispatch.Route{Webhook: want.ValidatingWebhook}.Matches(d.Configuration, d.Name)
	}
	if d.Plugin != document.ValidatingPolicies && d.Plugin != document.MutatingPolicies {
		return false
	}
	return (want.Policy == "" || NamesPolicy(want.Policy, d.Configuration, d.Name)) && (want.Binding == "" || NamesBinding(want.Binding, d.Name))
}
