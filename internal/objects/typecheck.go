package objects

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects/rules"
)

// What [Types.MissingFields] finds, and with what.
type (
	MissingFields = rules.MissingFields
	Schemas       = rules.Schemas
)

// TypeCheck returns what a controller of the server writes into status.typeChecking of a ValidatingAdmissionPolicy of
// any version: how its expressions use fields that the matched kinds do not have (W-298). It returns nothing for
// objects of other kinds.
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

// MissingFields returns the fields that expressions of a policy, or of the webhooks of a ValidatingWebhookConfiguration,
// use and that the kinds they are about do not have. The expressions fail for all objects, or always find that there is no
// such field. bound are the resources of the bindings of a policy; without bindings, the policy counts as bound to all.
func (t *Types) MissingFields(obj runtime.Object, bound ...*admissionregistrationv1.MatchResources) []MissingFields {
	kind := obj.GetObjectKind().GroupVersionKind()
	if t.options.MissingFields == nil || kind.Group != admissionregistrationv1.GroupName {
		return nil
	}
	converted, err := t.Convert(obj, admissionregistrationv1.SchemeGroupVersion.WithKind(kind.Kind))
	if err != nil {
		return nil
	}
	return t.options.MissingFields(converted, bound, Schemas{
		Of:        t.visibleSchemaOf,
		Elsewhere: func(f rules.MissingField) bool { return t.Absent(f.Kind, f.Path) != "" },
	})
}

var validatingPolicyKind = admissionregistrationv1.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicy")
