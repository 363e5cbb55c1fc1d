package objects

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// TypeCheck returns what a controller of the server writes into status.typeChecking of a ValidatingAdmissionPolicy of
// any version: how its expressions use fields that the matched kinds do not have (W-298). It returns nothing for
// objects of other kinds.
func (t *Types) TypeCheck(obj runtime.Object) []admissionregistrationv1.ExpressionWarning {
	return t.typeCheck(obj, t.schemaOf)
}

// MissingFields returns those results of [Types.TypeCheck] that also fail when the expressions run. The server's check
// considers all fields missing that are or contain quantities, such as limits and requests, since their schema leaves
// open which of two types they have. Running expressions do find these fields.
func (t *Types) MissingFields(obj runtime.Object) []admissionregistrationv1.ExpressionWarning {
	return t.typeCheck(obj, t.fullSchemaOf)
}

func (t *Types) typeCheck(obj runtime.Object, schemas func(schema.GroupVersionKind) (*spec.Schema, bool)) []admissionregistrationv1.ExpressionWarning {
	if t.options.TypeCheck == nil || obj.GetObjectKind().GroupVersionKind().GroupKind() != validatingPolicyKind.GroupKind() {
		return nil
	}
	policy, err := t.Convert(obj, validatingPolicyKind)
	if err != nil {
		return nil
	}
	return t.options.TypeCheck(policy.(*admissionregistrationv1.ValidatingAdmissionPolicy), schemas)
}

var validatingPolicyKind = admissionregistrationv1.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicy")
