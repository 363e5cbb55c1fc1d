package objects

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// ActionsOf returns what a failed validation of a policy leads to where a binding applies.
func ActionsOf(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding, r *kubeversion.Release) []admissionregistrationv1.ValidationAction {
	if !r.Has(kubeversion.PolicyActions) {
		return []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}
	}
	return b.Spec.ValidationActions
}
