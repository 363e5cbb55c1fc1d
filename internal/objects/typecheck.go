package objects

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// TypeCheck says what a controller of the server writes into status.typeChecking of a
// ValidatingAdmissionPolicy of any version: what its expressions do with fields that the
// kinds which it matches do not have (W-298). It is nothing for objects of other kinds.
func (t *Types) TypeCheck(obj runtime.Object) []admissionregistrationv1.ExpressionWarning {
	return t.typeCheck(obj, t.schemaOf)
}

// MissingFields is what [Types.TypeCheck] finds that does go wrong when the expressions run. The
// server's check holds every field for missing that is a quantity or has some, such as limits and
// requests, since their schema leaves open which of two types they are; expressions find them there.
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
