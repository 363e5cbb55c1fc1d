package rest

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
)

// An answerer continues a create after the mutating phase. When its own checks have passed, it runs the validating
// phase for the object (W-235).
type answerer func(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error)

// answererOf returns the answerer for creates that store no object of their kind. Webhooks see them like any other
// (W-038).
func (x *exchange) answererOf() (answerer, bool) {
	if x.resource.CRD != nil {
		return nil, false
	}
	switch x.pathOf() {
	case "bindings", "pods/binding":
		return bind, true
	case "pods/eviction":
		return evict, true
	case "deployments/rollback":
		return rollBack, true
	case "serviceaccounts/token":
		return issueToken, true
	case "tokenreviews":
		return reviewToken, true
	case "selfsubjectreviews":
		return reviewSelf, true
	case "subjectaccessreviews":
		return reviewAccess, true
	case "localsubjectaccessreviews":
		return reviewLocalAccess, true
	case "selfsubjectaccessreviews":
		return reviewOwnAccess, true
	case "selfsubjectrulesreviews":
		return reviewOwnRules, true
	}
	return nil, false
}

// bodyOf returns a copy of the body with which a virtual create continues, in v1 whatever the version in which it was
// sent. It may be modified.
func bodyOf[T runtime.Object](x *exchange, a admission.Request) (body T, err error) {
	object, err := x.server.Types.Convert(a.Object, a.Kind.GroupKind().WithVersion("v1"))
	if err != nil {
		return body, err
	}
	body, ok := object.DeepCopyObject().(T)
	if !ok {
		return body, fmt.Errorf("the body of %s/%s is a %T", a.Resource.Resource, a.Subresource, a.Object)
	}
	return body, nil
}

// validateAs runs the validating phase for object instead of the object in a.
func (x *exchange) validateAs(ctx context.Context, a admission.Request, object runtime.Object) (err error) {
	if a.Object, err = x.asSent(object.DeepCopyObject()); err != nil {
		return err
	}
	return x.validate(ctx, a)
}

// asSent returns the body or the answer of a virtual create in the version of the body.
func (x *exchange) asSent(object runtime.Object) (runtime.Object, error) {
	if object.GetObjectKind().GroupVersionKind().GroupKind() != x.kind.GroupKind() {
		return object, nil // a Status
	}
	return x.server.Types.Convert(object, x.kind)
}

// success returns the answer of a virtual create that returns no object.
func success() *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusSuccess,
		Code:     201,
	}
}
