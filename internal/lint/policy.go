package lint

import (
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
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

// A lostBinding names a policy that the cluster does not have.
type lostBinding struct {
	*binding
	policy cluster.Key
}

func (p *policy) field(name string) fieldRef {
	return fieldRef{manifest: p.manifest, field: "spec." + name}
}

func (b *binding) field(name string) fieldRef {
	return fieldRef{manifest: b.manifest, field: "spec." + name}
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

// denies reports whether a binding refuses what its policy has something against.
func (b *binding) denies() bool { return slices.Contains(b.actions, admissionregistrationv1.Deny) }

// readPolicies finds where the policies of the cluster and their bindings were written.
func (s *subject) readPolicies(written map[string]scenario.Manifest) {
	policies, lost := s.sim.Policies()
	for _, of := range policies {
		p := newPolicy(of.Object.Object)
		p.manifest = written[of.Kind+"/"+of.Name]
		for _, b := range of.Bindings {
			p.bindings = append(p.bindings, newBinding(b, written))
		}
		s.policies = append(s.policies, p)
	}
	for _, b := range lost {
		s.lost = append(s.lost, lostBinding{newBinding(b, written), b.Policy})
	}
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

func newBinding(of simulator.Binding, written map[string]scenario.Manifest) *binding {
	made := &binding{manifest: written[of.Kind+"/"+of.Name]}
	switch b := of.Object.Object.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		made.resources, made.paramRef, made.actions = b.Spec.MatchResources, b.Spec.ParamRef, b.Spec.ValidationActions
	case *admissionregistrationv1.MutatingAdmissionPolicyBinding:
		made.resources, made.paramRef = b.Spec.MatchResources, b.Spec.ParamRef
	}
	return made
}
