package lint

import (
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Policy is a ValidatingAdmissionPolicy or MutatingAdmissionPolicy, with its bindings and the manifest it was written
// in.
type Policy struct {
	Manifest scenario.Manifest
	Object   runtime.Object

	Constraints   *admissionregistrationv1.MatchResources
	ParamKind     *admissionregistrationv1.ParamKind
	FailurePolicy *admissionregistrationv1.FailurePolicyType

	Bindings []*Binding

	Validations []admissionregistrationv1.Validation

	matchConditions []admissionregistrationv1.MatchCondition
}

// A Binding puts a policy into effect.
type Binding struct {
	Manifest  scenario.Manifest
	Resources *admissionregistrationv1.MatchResources
	ParamRef  *admissionregistrationv1.ParamRef

	actions []admissionregistrationv1.ValidationAction // of a ValidatingAdmissionPolicy's binding
}

// A LostBinding names a policy that the cluster does not have.
type LostBinding struct {
	*Binding
	Policy cluster.Key
}

// Field returns the place of a field of the policy's spec.
func (p *Policy) Field(name string) Field { return Field{Manifest: p.Manifest, Path: "spec." + name} }

// Field returns the place of a field of the binding's spec.
func (b *Binding) Field(name string) Field { return Field{Manifest: b.Manifest, Path: "spec." + name} }

// Selection returns the selection of the policy.
func (p *Policy) Selection() Selection {
	s := selected(p.Field, "matchConstraints", p.Constraints)
	s.Validates, s.MatchConditions, s.conditions = p.Validates(), p.matchConditions, "matchConditions"
	s.Mutating = p.isMutating()
	return s
}

// Selection returns the selection of a binding of a policy.
func (b *Binding) Selection(of *Policy) Selection {
	s := selected(b.Field, "matchResources", b.Resources)
	s.Validates, s.Mutating = of.Validates(), of.isMutating()
	return s
}

func (p *Policy) isMutating() bool {
	return p.Object.GetObjectKind().GroupVersionKind().Kind == "MutatingAdmissionPolicy"
}

// Validates reports whether the policy can object to a request. One that only adds audit annotations cannot.
func (p *Policy) Validates() bool { return len(p.Validations) > 0 }

// Denies reports whether any binding of the policy denies.
func (p *Policy) Denies() bool { return slices.ContainsFunc(p.Bindings, (*Binding).Denies) }

// Denies reports whether a binding denies what its policy objects to.
func (b *Binding) Denies() bool { return slices.Contains(b.actions, admissionregistrationv1.Deny) }

// readPolicies finds where the policies of the cluster and their bindings were written.
func (s *Subject) readPolicies(written map[string]scenario.Manifest) {
	policies, lost := s.Simulator.Policies()
	for _, of := range policies {
		p := newPolicy(of.Object.Object)
		p.Manifest = written[of.Kind+"/"+of.Name]
		for _, b := range of.Bindings {
			p.Bindings = append(p.Bindings, newBinding(b, s.Simulator.Release(), written))
		}
		s.Policies = append(s.Policies, p)
	}
	for _, b := range lost {
		s.Lost = append(s.Lost, LostBinding{newBinding(b, s.Simulator.Release(), written), b.Policy})
	}
}

func newPolicy(o runtime.Object) *Policy {
	switch p := o.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		return &Policy{
			Object: o, Constraints: p.Spec.MatchConstraints, matchConditions: p.Spec.MatchConditions, Validations: p.Spec.Validations,
			ParamKind: p.Spec.ParamKind, FailurePolicy: p.Spec.FailurePolicy,
		}
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		return &Policy{
			Object: o, Constraints: p.Spec.MatchConstraints, matchConditions: p.Spec.MatchConditions,
			ParamKind: p.Spec.ParamKind, FailurePolicy: p.Spec.FailurePolicy,
		}
	}
	return &Policy{Object: o}
}

func newBinding(of simulator.Binding, r *kubeversion.Release, written map[string]scenario.Manifest) *Binding {
	made := &Binding{Manifest: written[of.Kind+"/"+of.Name]}
	switch b := of.Object.Object.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		made.Resources, made.ParamRef, made.actions = b.Spec.MatchResources, b.Spec.ParamRef, objects.ActionsOf(b, r)
	case *admissionregistrationv1.MutatingAdmissionPolicyBinding:
		made.Resources, made.ParamRef = b.Spec.MatchResources, b.Spec.ParamRef
	}
	return made
}
