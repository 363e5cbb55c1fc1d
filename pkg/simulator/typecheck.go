package simulator

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
)

// CheckPolicies returns the simulator of the cluster after the controller that checks the types in expressions has run.
// The status of each ValidatingAdmissionPolicy then has the warnings about its newest generation:
// kubernetes/kubernetes:pkg/controller/validatingadmissionpolicystatus/controller.go.
func (s *Simulator) CheckPolicies() (*Simulator, error) {
	state := s.state
	for o := range s.state.List(schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "ValidatingAdmissionPolicy"}, "") {
		policy, ok := o.Object.(*admissionregistrationv1.ValidatingAdmissionPolicy)
		if !ok || policy.Generation <= policy.Status.ObservedGeneration {
			continue
		}
		checked := policy.DeepCopy()
		checked.Status.ObservedGeneration = policy.Generation
		checked.Status.TypeChecking = &admissionregistrationv1.TypeChecking{ExpressionWarnings: s.parts.view.Types().TypeCheck(policy)}
		checked.ResourceVersion = state.NextVersion(policy.ResourceVersion)
		state = state.With(cluster.Object{Object: checked})
	}
	if state == s.state {
		return s, nil
	}
	return s.With(state)
}
