package lint

import (
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Selection says to which requests a webhook, a policy or a binding applies.
type Selection struct {
	At        func(path string) Field
	Validates bool
	Mutating  bool
	Hook      *Hook // nil: of a policy or binding

	Rules                             []admissionregistrationv1.RuleWithOperations
	NamespaceSelector, ObjectSelector *metav1.LabelSelector
	MatchConditions                   []admissionregistrationv1.MatchCondition
	MatchPolicy                       *admissionregistrationv1.MatchPolicyType

	matchResources *admissionregistrationv1.MatchResources // of a policy or binding; nil: it has none

	// The paths of these fields; for rules and conditions without the index.
	resources, rules, conditions string
}

// Selection returns the selection of the webhook.
func (h *Hook) Selection() Selection {
	return Selection{
		At: h.Field, Hook: h, Validates: !h.Mutating, Mutating: h.Mutating, Rules: h.Rules, rules: "rules", conditions: "matchConditions",
		NamespaceSelector: h.NamespaceSelector, ObjectSelector: h.ObjectSelector,
		MatchConditions: h.MatchConditions, MatchPolicy: h.MatchPolicy,
	}
}

// selected returns the selection by the resources of a policy or binding, if there are any.
func selected(at func(string) Field, field string, m *admissionregistrationv1.MatchResources) Selection {
	s := Selection{At: at, matchResources: m, resources: field + ".", rules: field + ".resourceRules"}
	if m == nil {
		return s
	}
	s.NamespaceSelector, s.ObjectSelector, s.MatchPolicy = m.NamespaceSelector, m.ObjectSelector, m.MatchPolicy
	for _, rule := range m.ResourceRules {
		s.Rules = append(s.Rules, rule.RuleWithOperations)
	}
	return s
}

// Field returns the place of a selector, or of the match policy.
func (s Selection) Field(name string) Field { return s.At(s.resources + name) }

// RuleField returns the place of a field of a rule.
func (s Selection) RuleField(i int, name string) Field {
	return s.At(fmt.Sprintf("%s[%d].%s", s.rules, i, name))
}

// ConditionField returns the place of a field of a match condition.
func (s Selection) ConditionField(i int, name string) Field {
	return s.At(fmt.Sprintf("%s[%d].%s", s.conditions, i, name))
}

// Asks reports whether a selector requires anything.
func Asks(s *metav1.LabelSelector) bool {
	return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0
}
