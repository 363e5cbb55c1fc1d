package objects

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TypeCheck says what a controller of the server writes into status.typeChecking of a
// ValidatingAdmissionPolicy of any version: what its expressions do with fields that the
// kinds which it matches do not have (W-298). It is nothing for objects of other kinds.
func (t *Types) TypeCheck(obj runtime.Object) []admissionregistrationv1.ExpressionWarning {
	if t.options.TypeCheck == nil || obj.GetObjectKind().GroupVersionKind().GroupKind() != validatingPolicyKind.GroupKind() {
		return nil
	}
	policy, err := t.Convert(obj, validatingPolicyKind)
	if err != nil {
		return nil
	}
	return t.options.TypeCheck(policy.(*admissionregistrationv1.ValidatingAdmissionPolicy), t.schemaOf)
}

var validatingPolicyKind = admissionregistrationv1.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicy")
