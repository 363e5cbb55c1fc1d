package suite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/lazyregexp"
	"github.com/admsim/admsim/pkg/matcher"
	"github.com/admsim/admsim/pkg/trace"
)

// step counts what the webhooks and policies of one step reached. A trace tells which part
// of its criteria decided whether a webhook applied, in the words of package matcher; the
// parts before it, in the order in which they are asked (W-127), fitted.
func (l *ledger) step(s *trace.Step) {
	for i := range s.Hooks {
		h := &s.Hooks[i]
		switch s.Plugin {
		case mutatingWebhooks, validatingWebhooks:
			if parts := l.hooks[h.Source+h.Configuration+"/"+h.Name]; parts != nil {
				l.webhookReached(parts, h)
			}
		case mutatingPolicies, validatingPolicies:
			if parts := l.hooks[h.Source+h.Configuration]; parts != nil {
				l.policyReached(parts, h)
			}
		}
	}
}

var (
	ruleInText      = lazyregexp.New(`^rule ([0-9]+) matches`)
	conditionInText = lazyregexp.New(`^matchCondition "([^"]*)": (false$)?`)
)

func (l *ledger) webhookReached(parts *hookParts, h *trace.Hook) {
	because := h.Because
	switch {
	case h.Called || len(h.Calls) > 0:
		l.selectors(parts, fits, fits)
		if m := ruleInText().FindStringSubmatch(h.Matched); m != nil {
			l.reach(parts.key(RulePart, fmt.Sprintf("rules[%s]", m[1]), ""))
		}
		for _, name := range parts.conditions {
			l.reach(parts.key(ConditionPart, name, isTrue))
		}
		l.reach(parts.key(WebhookPart, "", ""))
		if h.Outcome == trace.Failed || h.Outcome == trace.FailedOpen {
			l.reach(parts.key(FailurePolicyPart, "", parts.policy))
		}
		return
	case decides(because, matcher.NamespaceSelector):
		l.selectors(parts, fitsNot, "")
	case decides(because, matcher.ObjectSelector):
		l.selectors(parts, fits, fitsNot)
	case decides(because, matcher.Rules) || decides(because, matcher.MatchPolicy):
		l.selectors(parts, fits, fits)
	case conditionInText().MatchString(because):
		l.selectors(parts, fits, fits)
		l.conditionReached(parts, because)
	default:
		return // it is about the round
	}
	l.lately[parts.key(WebhookPart, "", "")] = because
}

func decides(because string, p matcher.Part) bool {
	return strings.HasPrefix(because, string(p)+":") || strings.HasPrefix(because, string(p)+" Exact:")
}

func (l *ledger) selectors(parts *hookParts, namespaces, objects string) {
	l.reach(parts.key(SelectorPart, string(matcher.NamespaceSelector), namespaces))
	l.reach(parts.key(SelectorPart, string(matcher.ObjectSelector), objects))
}

// conditionReached counts the condition that decided. Those before it were true.
func (l *ledger) conditionReached(parts *hookParts, because string) {
	m := conditionInText().FindStringSubmatch(because)
	at := slices.Index(parts.conditions, m[1])
	for i, name := range parts.conditions {
		switch {
		case i < at:
			l.reach(parts.key(ConditionPart, name, isTrue))
		case i == at && m[2] != "":
			l.reach(parts.key(ConditionPart, name, isNot))
		case i == at:
			l.reach(parts.key(FailurePolicyPart, "", parts.policy))
		}
	}
}

func (l *ledger) policyReached(parts *hookParts, h *trace.Hook) {
	if h.Called {
		l.reach(parts.key(PolicyPart, h.Name, ""))
	}
	failed := h.Outcome == trace.FailedOpen
	for _, e := range h.Expressions {
		what, _, _ := strings.Cut(e.Field, ".")
		failed = failed || e.Error != ""
		switch {
		case e.Error != "":
		case strings.HasPrefix(what, "matchConditions["):
			l.reach(parts.key(ConditionPart, e.Name, e.Value))
		case strings.HasPrefix(what, "validations[") && strings.HasSuffix(e.Field, "].expression"):
			branch := holds
			if e.Value != "true" {
				branch = holdNot
			}
			l.reach(parts.key(ValidationPart, what, branch))
		}
	}
	if failed {
		// There is no way to tell expressions that can fail from those that cannot, so that it is
		// something to reach only where one did.
		decided := parts.key(FailurePolicyPart, "", parts.policy)
		l.part(decided, parts.policyAt)
		l.reach(decided)
	}
}
