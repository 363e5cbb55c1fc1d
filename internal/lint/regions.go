package lint

import (
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/space"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/matcher"
)

// Unmatched returns why a webhook or policy is asked about no request because of a rule that names one resource; "" if
// it is asked about one, or if nothing is known about the resource.
func (s *Subject) Unmatched(of Selection, rule admissionregistrationv1.RuleWithOperations) string {
	h := s.hook(of) // its selectors and conditions do not matter
	return s.space().Unmatched(0, &h, admissionregistrationv1.NamedRuleWithOperations{RuleWithOperations: rule})
}

// NeverMet returns the match condition because of which a webhook or policy is asked about no request, although its
// rules and selectors match some. Without it, ok is false.
func (s *Subject) NeverMet(of Selection) (condition int, ok bool) {
	h := s.hook(of)
	if len(h.Conditions) == 0 {
		return 0, false
	}
	return s.space().With([]space.Hook{h}).NeverMet(0, &h)
}

// A Conflict is what keeps a policy from ever being asked under a binding, although each of the two matches requests.
type Conflict int

// The conflicts.
const (
	NoConflict        Conflict = iota
	RulesConflict              // no resource and operation is in the rules of both
	SelectorsConflict          // the selectors of the two exclude each other
)

// Conflict returns what keeps a policy from ever being asked under a binding of it. It only knows about resources that
// the cluster serves.
func (s *Subject) Conflict(p *Policy, b *Binding) Conflict {
	if _, known := s.conflicts[b]; !known {
		s.conflicts[b] = s.conflict(p, b)
	}
	return s.conflicts[b]
}

func (s *Subject) conflict(p *Policy, b *Binding) Conflict {
	if p.Constraints == nil || b.Resources == nil {
		return NoConflict
	}
	matches := func(all ...matcher.Criteria) bool {
		h := space.Hook{Policy: true, Mutating: p.isMutating(), Criteria: all}
		return s.space().With([]space.Hook{h}).Concerns(0, &h)
	}
	policy, binding := withSelectors(matcher.Resources(*p.Constraints)), withSelectors(matcher.Resources(*b.Resources))
	if matches(policy, binding) || !matches(policy) || !matches(binding) {
		return NoConflict
	}
	for _, c := range []*matcher.Criteria{&policy, &binding} {
		c.NamespaceSelector, c.ObjectSelector = &metav1.LabelSelector{}, &metav1.LabelSelector{}
	}
	if matches(policy, binding) {
		return SelectorsConflict
	}
	return RulesConflict
}

// withSelectors returns criteria whose missing selectors match everything.
func withSelectors(c matcher.Criteria) matcher.Criteria {
	if c.NamespaceSelector == nil {
		c.NamespaceSelector = &metav1.LabelSelector{}
	}
	if c.ObjectSelector == nil {
		c.ObjectSelector = &metav1.LabelSelector{}
	}
	return c
}

// NullFailures returns the operations for which an expression fails for every request that a webhook, or a policy with
// one of its bindings, has to evaluate it for: it reads an object that these requests do not have. condition is the index
// of the expression among the match conditions, or -1. The selections of a policy and its binding must both match.
func (s *Subject) NullFailures(of []Selection, condition int, expression string) []admissionv1.Operation {
	h := s.hook(of[0])
	for _, also := range of[1:] {
		h.Criteria = append(h.Criteria, s.hook(also).Criteria...)
	}
	if condition >= 0 {
		h.Conditions = slices.Delete(slices.Clone(h.Conditions), condition, condition+1)
	}
	named := h
	named.Conditions = append(slices.Clone(h.Conditions), admissionregistrationv1.MatchCondition{Expression: expression})
	return s.space().With([]space.Hook{named}).NullFailures(0, &h, expression)
}

// space returns the space of all requests, without any hooks.
func (s *Subject) space() *space.Space {
	if s.requests == nil {
		s.requests = space.New([]space.World{{Release: s.Simulator.Release(), State: s.State, Resources: s.Simulator.Resources()}})
	}
	return s.requests
}

func (s *Subject) hook(of Selection) space.Hook {
	h := space.Hook{Policy: of.Hook == nil, Mutating: of.Mutating, Conditions: of.MatchConditions}
	var c matcher.Criteria
	if of.Hook != nil {
		c, h.Static = matcher.Webhook(of.Hook.ValidatingWebhook, nil), of.Hook.Static
		if !s.Simulator.Release().Has(kubeversion.MatchConditions) {
			h.Conditions = nil
		}
	} else if of.matchResources != nil {
		c = matcher.Resources(*of.matchResources)
	}
	h.Criteria = []matcher.Criteria{withSelectors(c)}
	return h
}
