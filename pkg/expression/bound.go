package expression

import (
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A boundKind is a kind for whose objects a policy is evaluated.
type boundKind struct {
	kind   schema.GroupVersionKind
	always bool // for all of them, as far as its bindings are concerned
}

// boundKinds returns the kinds that one of the bindings matches, given their resources. Without bindings, these are all.
func boundKinds(matched []schema.GroupVersionKind, bound []*admissionregistrationv1.MatchResources, mapper meta.RESTMapper) (kinds []boundKind) {
	var bindings []binding
	for _, m := range bound {
		bindings = append(bindings, bindingOf(m, mapper))
	}
	if len(bindings) == 0 {
		bindings = []binding{{anyKind: true}}
	}
	for _, kind := range matched {
		one, isBound := boundKind{kind: kind}, false
		for _, b := range bindings {
			if b.matches(kind) {
				isBound, one.always = true, one.always || !b.selective
			}
		}
		if isBound {
			kinds = append(kinds, one)
		}
	}
	return kinds
}

// A binding says which kinds a binding of a policy matches.
type binding struct {
	anyKind   bool
	kinds     []schema.GroupVersionKind // if not any
	exact     bool                      // in these versions only
	selective bool                      // some of their objects are left out
}

func bindingOf(m *admissionregistrationv1.MatchResources, mapper meta.RESTMapper) binding {
	if m == nil {
		return binding{anyKind: true}
	}
	b := binding{selective: excludesObjects(m), exact: m.MatchPolicy != nil && *m.MatchPolicy == admissionregistrationv1.Exact}
	rules := make([]admissionregistrationv1.RuleWithOperations, len(m.ResourceRules))
	for i, r := range m.ResourceRules {
		rules[i] = r.RuleWithOperations
	}
	kinds, all := kindsOfRules(rules, mapper)
	b.kinds, b.anyKind = kinds, !all || len(rules) == 0
	return b
}

func (b binding) matches(kind schema.GroupVersionKind) bool {
	return b.anyKind || slices.ContainsFunc(b.kinds, func(k schema.GroupVersionKind) bool {
		return k == kind || !b.exact && k.GroupKind() == kind.GroupKind()
	})
}
