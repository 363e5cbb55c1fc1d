package lint

import (
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/scenario"
)

// A policy is a ValidatingAdmissionPolicy or MutatingAdmissionPolicy, with its bindings and
// where it was written.
type policy struct {
	manifest scenario.Manifest
	object   runtime.Object

	validates       bool
	constraints     *admissionregistrationv1.MatchResources
	matchConditions []admissionregistrationv1.MatchCondition
	paramKind       *admissionregistrationv1.ParamKind
	failurePolicy   *admissionregistrationv1.FailurePolicyType

	bindings []*binding
}

// A binding is what makes a policy hold.
type binding struct {
	manifest  scenario.Manifest
	resources *admissionregistrationv1.MatchResources
	paramRef  *admissionregistrationv1.ParamRef
	actions   []admissionregistrationv1.ValidationAction // of one of a ValidatingAdmissionPolicy
}

func (p *policy) field(name string) place { return place{manifest: p.manifest, field: "spec." + name} }

func (b *binding) field(name string) place {
	return place{manifest: b.manifest, field: "spec." + name}
}

func (p *policy) selection() selection {
	s := selected(p.field, "matchConstraints", p.constraints)
	s.validates, s.matchConditions, s.conditionField = p.validates, p.matchConditions, "matchConditions"
	return s
}

func (b *binding) selection(of *policy) selection {
	s := selected(b.field, "matchResources", b.resources)
	s.validates = of.validates
	return s
}

// denies tells whether a binding refuses what its policy has something against.
func (b *binding) denies() bool { return slices.Contains(b.actions, admissionregistrationv1.Deny) }

// The kinds of policies; their bindings have the same name with a suffix.
const (
	validatingPolicy = "ValidatingAdmissionPolicy"
	mutatingPolicy   = "MutatingAdmissionPolicy"
	bindingSuffix    = "Binding"
)

// policiesOf are the policies of the cluster, and the bindings that name none of them, by
// the kind of policy that they bind.
func (s *subject) policiesOf(written map[string]scenario.Manifest) (all []*policy, lost map[string][]*binding, names map[*binding]string) {
	by := map[string]*policy{}
	for _, kind := range []string{validatingPolicy, mutatingPolicy} {
		for o := range s.state.List(schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: kind}, "") {
			p := newPolicy(o.Object)
			p.manifest = written[kind+"/"+o.Object.(metav1.Object).GetName()]
			by[kind+"/"+p.manifest.Name] = p
			all = append(all, p)
		}
	}
	lost, names = map[string][]*binding{}, map[*binding]string{}
	for _, kind := range []string{validatingPolicy, mutatingPolicy} {
		for o := range s.state.List(schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: kind + bindingSuffix}, "") {
			b, name := newBinding(o.Object)
			b.manifest = written[kind+bindingSuffix+"/"+o.Object.(metav1.Object).GetName()]
			if p := by[kind+"/"+name]; p != nil {
				p.bindings = append(p.bindings, b)
			} else {
				lost[kind] = append(lost[kind], b)
				names[b] = name
			}
		}
	}
	return all, lost, names
}

func newPolicy(o runtime.Object) *policy {
	switch p := o.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		return &policy{
			object: o, validates: len(p.Spec.Validations) > 0, constraints: p.Spec.MatchConstraints, matchConditions: p.Spec.MatchConditions,
			paramKind: p.Spec.ParamKind, failurePolicy: p.Spec.FailurePolicy,
		}
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		return &policy{
			object: o, constraints: p.Spec.MatchConstraints, matchConditions: p.Spec.MatchConditions,
			paramKind: p.Spec.ParamKind, failurePolicy: p.Spec.FailurePolicy,
		}
	}
	return &policy{object: o}
}

func newBinding(o runtime.Object) (b *binding, policy string) {
	switch b := o.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		return &binding{resources: b.Spec.MatchResources, paramRef: b.Spec.ParamRef, actions: b.Spec.ValidationActions}, b.Spec.PolicyName
	case *admissionregistrationv1.MutatingAdmissionPolicyBinding:
		return &binding{resources: b.Spec.MatchResources, paramRef: b.Spec.ParamRef}, b.Spec.PolicyName
	}
	return &binding{}, ""
}
