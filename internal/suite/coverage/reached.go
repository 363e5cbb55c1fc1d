package coverage

import (
	"encoding/json"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// Reach counts what an answer reached of the webhooks and policies of a world.
func (l *Ledger) Reach(hooks *Hooks, answer *simulator.Result) {
	if hooks == nil {
		return
	}
	for _, admission := range answer.Admissions {
		r := reaching{Ledger: l, hooks: hooks, namespaced: asksNamespaces(admission.Request)}
		for i := range admission.Steps {
			r.step(&admission.Steps[i])
		}
	}
}

// asksNamespaces reports whether namespaceSelectors are matched for a request: they are not for a cluster-scoped object
// other than a namespace (W-091).
func asksNamespaces(req admission.Request) bool {
	return req.Namespace != "" || req.Resource.Resource == "namespaces"
}

// reaching counts what one admission reached.
type reaching struct {
	*Ledger
	hooks      *Hooks
	namespaced bool
}

// step counts what one step reached of webhooks and policies. A trace says which criterion decided whether a webhook
// applied; the criteria before it, in the order in which they are checked (W-127), matched.
func (r *reaching) step(s *trace.Step) {
	var last *hookParts // a policy is matched once, however many bindings it has
	for i := range s.Hooks {
		h := &s.Hooks[i]
		switch s.Plugin {
		case document.MutatingWebhooks, document.ValidatingWebhooks:
			if parts := r.hooks.all[h.Source+h.Configuration+"/"+h.Name]; parts != nil {
				r.webhook(parts, h)
			}
		case document.MutatingPolicies, document.ValidatingPolicies:
			if parts := r.hooks.all[h.Source+h.Configuration]; parts != nil {
				r.policy(parts, h, parts != last)
				last = parts
			}
		}
	}
	r.plugin(s)
}

// plugin counts what a built-in plugin did.
func (r *reaching) plugin(s *trace.Step) {
	switch s.Plugin {
	case document.MutatingWebhooks, document.ValidatingWebhooks, document.MutatingPolicies, document.ValidatingPolicies:
		return
	}
	if s.Phase == trace.Server {
		return
	}
	p := r.plugins[s.Plugin]
	if p == nil {
		p = &outcome.PluginUse{Name: s.Plugin}
		r.plugins[s.Plugin] = p
	}
	p.Ran++
	did := s.Did()
	if s.Outcome == trace.Changed || s.Outcome == trace.FailedOpen || s.Outcome.Ends() || len(did.Warnings)+len(did.Writes) > 0 {
		p.Decided++
	}
}

func (r *reaching) webhook(parts *hookParts, h *trace.Hook) {
	if h.Decided.Part == "" { // skipped because of the round
		return
	}
	called := h.Called || len(h.Calls) > 0
	if h.Denial == nil || called || h.Decided.Part == trace.MatchConditions { // else no selector was evaluated
		r.criterion(parts, h.Decided)
	}
	r.conditions(parts, h)
	if called {
		r.reach(parts.key(outcome.WebhookPart, "", ""))
	} else {
		r.lastSkipped[parts.key(outcome.WebhookPart, "", "")] = h.Because
	}
	if h.Decided.Failed || called && (h.Outcome == trace.Failed || h.Outcome == trace.FailedOpen) {
		r.reach(parts.key(outcome.FailurePolicyPart, "", parts.policy))
	}
}

// criterion counts what matched up to the criterion that decided.
func (r *reaching) criterion(parts *hookParts, c trace.Criterion) {
	switch c.Part {
	case trace.NamespaceSelector:
		r.selectors(parts, notMatched, "")
	case trace.ObjectSelector:
		r.selectors(parts, matched, notMatched)
	case trace.ExcludeRules:
		r.reach(parts.rule(excludeRules, c.Rule))
		r.selectors(parts, matched, matched)
	case trace.Rules, trace.MatchPolicy, trace.MatchConditions:
		if c.Rule != trace.NoRule {
			r.reach(parts.rule(parts.rules, c.Rule))
		} else if parts.rules == rulesField && r.hooks.rulesFirst {
			return
		}
		r.selectors(parts, matched, matched)
	}
}

func (r *reaching) selectors(parts *hookParts, namespaces, objects string) {
	if r.namespaced {
		r.reach(parts.key(outcome.SelectorPart, string(trace.NamespaceSelector), namespaces))
	}
	r.reach(parts.key(outcome.SelectorPart, string(trace.ObjectSelector), objects))
}

// conditions counts the results of the match conditions.
func (r *reaching) conditions(parts *hookParts, h *trace.Hook) {
	for _, e := range h.Expressions {
		if e.Error == "" && strings.HasPrefix(e.Field, "matchConditions[") {
			r.reach(parts.key(outcome.ConditionPart, e.Name, e.Value))
		}
	}
}

// policy counts what a policy reached under one of its bindings. first means that nothing was counted for the policy
// yet in this step.
func (r *reaching) policy(parts *hookParts, h *trace.Hook, first bool) {
	if h.Decided.Part == "" || h.Decided.Part == trace.Bindings { // nothing was matched
		return
	}
	applies := h.Name != "" || h.PolicyRule != trace.NoRule
	switch {
	case !first:
	case applies:
		r.criterion(parts, trace.Criterion{Part: trace.Rules, Rule: h.PolicyRule})
	case h.Outcome == trace.Skipped: // otherwise a selector could not be evaluated
		r.criterion(parts, h.Decided)
	}
	if bound := parts.bindings[h.Name]; bound != nil {
		r.binding(bound, h)
	}
	if h.Called {
		r.reach(parts.key(outcome.PolicyPart, "", ""))
	}
	r.conditions(parts, h)
	r.expressions(parts, h)
}

func (r *reaching) binding(parts *hookParts, h *trace.Hook) {
	switch {
	case !h.Decided.OfBinding || h.Decided.Part == trace.ParamRef:
		r.criterion(parts, trace.Criterion{Part: trace.Rules, Rule: h.BindingRule})
	case h.Outcome == trace.Skipped: // otherwise a selector could not be evaluated
		r.criterion(parts, h.Decided)
	}
	if h.Called {
		r.reach(parts.key(outcome.BindingPart, "", ""))
	}
}

// expressions counts the results of the expressions of a policy.
func (r *reaching) expressions(parts *hookParts, h *trace.Hook) {
	failed := h.Outcome == trace.FailedOpen
	messages := map[string]string{} // by validation that does not hold
	for _, e := range h.Expressions {
		what, field, _ := strings.Cut(e.Field, ".")
		list, _, _ := strings.Cut(what, "[")
		failed = failed || e.Error != ""
		if e.Error != "" {
			continue
		}
		switch {
		case list == "validations" && field == "expression" && e.Value == "true":
			r.reach(parts.key(outcome.ValidationPart, what, holds))
		case list == "validations" && field == "expression":
			r.reach(parts.key(outcome.ValidationPart, what, fails))
			messages[what] = e.Message
		case field == "messageExpression":
			if said, is := messages[what]; is && said == textOf(e.Value) {
				r.reach(parts.key(outcome.MessagePart, what, ""))
			}
		case list == "auditAnnotations" && textOf(e.Value) == "":
			r.reach(parts.key(outcome.AnnotationPart, e.Name, notWritten))
		case list == "auditAnnotations":
			r.reach(parts.key(outcome.AnnotationPart, e.Name, written))
		case list == "mutations" && e.Changed:
			r.reach(parts.key(outcome.MutationPart, what, ""))
		}
	}
	if failed {
		// Nothing shows which expressions can fail, so the failurePolicy only becomes a part once an expression did.
		decided := parts.key(outcome.FailurePolicyPart, "", parts.policy)
		r.part(decided, parts.policyAt)
		r.reach(decided)
	}
}

// textOf returns the text that a JSON value holds, without surrounding space, as the server uses it.
func textOf(value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) != nil {
		return ""
	}
	return strings.TrimSpace(text)
}
