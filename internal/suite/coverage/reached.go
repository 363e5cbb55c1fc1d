package coverage

import (
	"strings"

	"github.com/admsim/admsim/internal/suite/events"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// Reach counts what the webhooks and policies of a world reached for an answer.
func (l *Ledger) Reach(hooks Hooks, answer *simulator.Result) {
	for _, admission := range answer.Admissions {
		for i := range admission.Steps {
			l.step(hooks, &admission.Steps[i])
		}
	}
}

// step counts what the webhooks and policies of one step reached. A trace says which part
// of its criteria decided whether a webhook applied; the parts before it, in the order in
// which they are asked (W-127), fitted.
func (l *Ledger) step(hooks Hooks, s *trace.Step) {
	for i := range s.Hooks {
		h := &s.Hooks[i]
		switch s.Plugin {
		case events.MutatingWebhooks, events.ValidatingWebhooks:
			if parts := hooks[h.Source+h.Configuration+"/"+h.Name]; parts != nil {
				l.webhookReached(parts, h)
			}
		case events.MutatingPolicies, events.ValidatingPolicies:
			if parts := hooks[h.Source+h.Configuration]; parts != nil {
				l.policyReached(parts, h)
			}
		}
	}
}

func (l *Ledger) webhookReached(parts *hookParts, h *trace.Hook) {
	if h.Called || len(h.Calls) > 0 {
		l.selectors(parts, fits, fits)
		if h.Decided.Rule != trace.NoRule {
			l.reach(parts.key(outcome.RulePart, h.Decided.String(), ""))
		}
		l.conditionsReached(parts, h)
		l.reach(parts.key(outcome.WebhookPart, "", ""))
		if h.Outcome == trace.Failed || h.Outcome == trace.FailedOpen {
			l.reach(parts.key(outcome.FailurePolicyPart, "", parts.policy))
		}
		return
	}
	switch h.Decided.Part {
	case trace.NamespaceSelector:
		l.selectors(parts, fitsNot, "")
	case trace.ObjectSelector:
		l.selectors(parts, fits, fitsNot)
	case trace.Rules, trace.MatchPolicy:
		l.selectors(parts, fits, fits)
	case trace.MatchConditions:
		l.selectors(parts, fits, fits)
		l.conditionsReached(parts, h)
		if h.Decided.Failed {
			l.reach(parts.key(outcome.FailurePolicyPart, "", parts.policy))
		}
	default:
		return // it is about the round
	}
	l.lately[parts.key(outcome.WebhookPart, "", "")] = h.Because
}

func (l *Ledger) selectors(parts *hookParts, namespaces, objects string) {
	l.reach(parts.key(outcome.SelectorPart, string(trace.NamespaceSelector), namespaces))
	l.reach(parts.key(outcome.SelectorPart, string(trace.ObjectSelector), objects))
}

// conditionsReached counts what the match conditions said.
func (l *Ledger) conditionsReached(parts *hookParts, h *trace.Hook) {
	for _, e := range h.Expressions {
		if e.Error == "" && strings.HasPrefix(e.Field, "matchConditions[") {
			l.reach(parts.key(outcome.ConditionPart, e.Name, e.Value))
		}
	}
}

func (l *Ledger) policyReached(parts *hookParts, h *trace.Hook) {
	if h.Called {
		l.reach(parts.key(outcome.PolicyPart, h.Name, ""))
	}
	l.conditionsReached(parts, h)
	failed := h.Outcome == trace.FailedOpen
	for _, e := range h.Expressions {
		what, _, _ := strings.Cut(e.Field, ".")
		failed = failed || e.Error != ""
		if e.Error == "" && strings.HasPrefix(what, "validations[") && strings.HasSuffix(e.Field, "].expression") {
			branch := holds
			if e.Value != "true" {
				branch = holdNot
			}
			l.reach(parts.key(outcome.ValidationPart, what, branch))
		}
	}
	if failed {
		// There is no way to tell expressions that can fail from those that cannot, so that it is
		// something to reach only where one did.
		decided := parts.key(outcome.FailurePolicyPart, "", parts.policy)
		l.part(decided, parts.policyAt)
		l.reach(decided)
	}
}
