package lint

import (
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A selection is what says to which requests a webhook, a policy or the binding of one
// applies.
type selection struct {
	at        func(field string) fieldRef
	validates bool
	hook      *hook // nil: of a policy or binding

	rules                             []admissionregistrationv1.RuleWithOperations
	namespaceSelector, objectSelector *metav1.LabelSelector
	matchConditions                   []admissionregistrationv1.MatchCondition
	matchPolicy                       *admissionregistrationv1.MatchPolicyType

	// Where they stand; of rules and conditions without the index.
	resources, ruleField, conditionField string
}

func (h *hook) selection() selection {
	return selection{
		at: h.field, hook: h, validates: !h.Mutating, rules: h.Rules, ruleField: "rules", conditionField: "matchConditions",
		namespaceSelector: h.NamespaceSelector, objectSelector: h.ObjectSelector,
		matchConditions: h.MatchConditions, matchPolicy: h.MatchPolicy,
	}
}

// selected is the selection that resources of a policy or binding make, where there are any.
func selected(at func(string) fieldRef, field string, m *admissionregistrationv1.MatchResources) selection {
	s := selection{at: at, resources: field + ".", ruleField: field + ".resourceRules"}
	if m == nil {
		return s
	}
	s.namespaceSelector, s.objectSelector, s.matchPolicy = m.NamespaceSelector, m.ObjectSelector, m.MatchPolicy
	for _, rule := range m.ResourceRules {
		s.rules = append(s.rules, rule.RuleWithOperations)
	}
	return s
}

// rule is the place of a field of a rule.
func (s selection) rule(i int, field string) fieldRef {
	return s.at(fmt.Sprintf("%s[%d].%s", s.ruleField, i, field))
}

func (s selection) field(name string) fieldRef { return s.at(s.resources + name) }

// eachSelection makes the check of a rule that looks at what webhooks, policies and
// bindings apply to, one at a time.
func eachSelection(check func(*subject, selection, *reporter)) func(*subject, *reporter) {
	return func(s *subject, r *reporter) {
		for _, h := range s.hooks {
			check(s, h.selection(), r)
		}
		for _, p := range s.policies {
			check(s, p.selection(), r)
			for _, b := range p.bindings {
				check(s, b.selection(p), r)
			}
		}
	}
}
