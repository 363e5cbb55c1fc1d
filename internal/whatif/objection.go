package whatif

import (
	"cmp"
	"context"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/plugins/policy"
	"github.com/admsim/admsim/pkg/plugins/webhook"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// NoObjection returns why a webhook, policy or plugin does not refuse a request that is admitted, with the first
// condition because of which it does not apply. s is the simulator that answered. An actor without a plugin or
// configuration may be in any. The result is empty if the reason is not known.
func NoObjection(ctx context.Context, s *simulator.Simulator, r *simulator.Result, by document.Actor) string {
	if by.Name == "" {
		return withoutHook(r, by)
	}
	for step, h := range Hooks(r) {
		if is(by, step.Plugin, h.Configuration, h.Name) {
			by.Configuration = h.Configuration
			return inWords(by, h.Outcome, h.Because)
		}
	}
	all, err := s.ExplainResult(ctx, r) // a trace usually has no webhooks and policies that do not apply
	if err != nil || len(all) == 0 {
		return ""
	}
	for _, e := range all {
		for _, of := range []struct {
			plugin   string
			webhooks []webhook.Explanation
			policies []policy.Explanation
		}{
			{plugin: document.MutatingWebhooks, webhooks: e.Mutating},
			{plugin: document.MutatingPolicies, policies: e.MutatingPolicies},
			{plugin: document.ValidatingWebhooks, webhooks: e.Validating},
			{plugin: document.ValidatingPolicies, policies: e.ValidatingPolicies},
		} {
			for _, h := range of.webhooks {
				if h.Called == webhook.No && is(by, of.plugin, h.Configuration, h.Name) {
					by.Configuration = h.Configuration
					return inWords(by, trace.Skipped, h.Because)
				}
			}
			for _, p := range of.policies {
				binding := p.Binding
				if binding == "" && p.Policy == by.Configuration {
					binding = by.Name // no binding names the policy any more
				}
				if p.Asked == policy.No && is(by, of.plugin, p.Policy, binding) {
					return inWords(by, trace.Skipped, p.Because)
				}
			}
		}
	}
	return strings.TrimPrefix(by.String(), "/") + " does not exist"
}

// withoutHook does the same for a plugin that refused a request itself.
func withoutHook(r *simulator.Result, by document.Actor) string {
	if by.Plugin == "" || len(r.Admissions) == 0 {
		return ""
	}
	for _, a := range r.Admissions {
		for _, step := range a.Steps {
			if step.Plugin == by.Plugin {
				return inWords(by, step.Outcome, step.Because)
			}
		}
	}
	return by.Plugin + " does not run"
}

func is(by document.Actor, plugin, configuration, name string) bool {
	return name == by.Name && cmp.Or(by.Plugin, plugin) == plugin && cmp.Or(by.Configuration, configuration) == configuration
}

func inWords(by document.Actor, outcome trace.Outcome, because string) string {
	text := by.String()
	switch outcome {
	case trace.Skipped:
		text += " is skipped"
	case trace.FailedOpen:
		text += " fails, which is ignored"
	default:
		text += " allows it"
	}
	if because != "" {
		text += ": " + because
	}
	return text
}
