package suite

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/trace"
)

// The plugins that call webhooks and ask policies.
const (
	mutatingWebhooks   = "MutatingAdmissionWebhook"
	validatingWebhooks = "ValidatingAdmissionWebhook"
	mutatingPolicies   = "MutatingAdmissionPolicy"
	validatingPolicies = "ValidatingAdmissionPolicy"
)

// namespaceLifecycle is the plugin that says for the API server that there is no such namespace.
const namespaceLifecycle = "NamespaceLifecycle"

// A decider is who ended a request: a webhook or policy of a plugin, a plugin by itself, or
// with nothing set the API server outside of admission.
type decider struct {
	plugin, configuration, name string
	definition                  bool // of the API server: a CustomResourceDefinition decided
	hint                        string
}

func (d decider) String() string {
	switch {
	case d.plugin == "":
		return "the API server"
	case d.configuration == "":
		return "plugin " + d.plugin
	}
	kind := map[string]string{
		mutatingWebhooks: "mutating webhook", validatingWebhooks: "validating webhook",
		mutatingPolicies: "policy", validatingPolicies: "policy",
	}[d.plugin]
	return first(kind, d.plugin) + " " + strings.TrimSuffix(d.configuration+"/"+d.name, "/")
}

func (c *check) decider() (d decider) {
	if len(c.Result.Admissions) == 0 {
		return d
	}
	steps := c.Result.Admissions[len(c.Result.Admissions)-1].Steps
	if len(steps) == 0 {
		return d
	}
	last := steps[len(steps)-1]
	if !last.Outcome.Ends() {
		return d
	}
	if last.Phase == trace.Server {
		d.definition = last.Decider() != nil
		return d
	}
	d.plugin, d.hint = last.Plugin, last.Hint
	if h := last.Decider(); h != nil {
		d.configuration, d.name = h.Configuration, h.Name
	}
	return d
}

// deniedBy checks who denied the request.
func (c *check) deniedBy() {
	want := c.expect.DeniedBy
	if want == nil || denied(*want, c.decider(), c.Result.Code) {
		return
	}
	d := c.decider()
	got := d.String()
	if d.plugin == "" {
		got += fmt.Sprintf(" (%d %s)", c.Result.Code, c.statusOf().Reason)
	}
	f := c.fail("deniedBy", deniedByText(*want), got)
	f.Hint = "its message: " + c.statusOf().Message
	if d.hint != "" {
		f.Hint += "; " + d.hint
	}
}

func denied(want scenario.DeniedBy, d decider, code int) bool {
	switch {
	case want.Server:
		return d.plugin == ""
	case want.Validation:
		return d.plugin == "" && code == http.StatusUnprocessableEntity
	case want.Plugin != "":
		return d.plugin == want.Plugin
	case want.MutatingWebhook != "":
		return d.plugin == mutatingWebhooks && hookNamed(want.MutatingWebhook, d.configuration, d.name)
	case want.ValidatingWebhook != "":
		return d.plugin == validatingWebhooks && hookNamed(want.ValidatingWebhook, d.configuration, d.name)
	}
	if d.plugin != validatingPolicies && d.plugin != mutatingPolicies {
		return false
	}
	return (want.Policy == "" || policyNamed(want.Policy, d.configuration, d.name)) && (want.Binding == "" || glob(want.Binding, d.name))
}

func deniedByText(d scenario.DeniedBy) string {
	switch {
	case d.Server:
		return "the API server"
	case d.Validation:
		return "the API server's validation"
	case d.Plugin != "":
		return "plugin " + d.Plugin
	case d.MutatingWebhook != "":
		return "mutating webhook " + d.MutatingWebhook
	case d.ValidatingWebhook != "":
		return "validating webhook " + d.ValidatingWebhook
	case d.Policy != "" && d.Binding != "":
		return "policy " + d.Policy + "/" + d.Binding
	case d.Policy != "":
		return "policy " + d.Policy
	}
	return "a policy with binding " + d.Binding
}

// wantedDecider is the name of the webhook, policy or plugin that was to deny.
func (c *check) wantedDecider() string {
	d := c.expect.DeniedBy
	if d == nil {
		return ""
	}
	return first(d.Plugin, d.MutatingWebhook, d.ValidatingWebhook, d.Policy)
}

// whyNot says what became of who was to deny.
func (c *check) whyNot(name string) string {
	for _, e := range slices.Backward(c.events()) {
		if !e.is(name) {
			continue
		}
		if !e.called() {
			return e.name() + " was skipped: " + e.because()
		}
		return e.name() + " was asked: " + string(e.outcome())
	}
	return "nothing is called " + name
}

// hookNamed reports whether a pattern names a webhook, by its name or configuration/name.
func hookNamed(pattern, configuration, name string) bool {
	if strings.Contains(pattern, "/") {
		return glob(pattern, configuration+"/"+name)
	}
	return glob(pattern, name)
}

// policyNamed is hookNamed for policies, which are known by their own name.
func policyNamed(pattern, policy, binding string) bool {
	if strings.Contains(pattern, "/") {
		return glob(pattern, policy+"/"+binding)
	}
	return glob(pattern, policy)
}

func glob(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
