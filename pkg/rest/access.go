package rest

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// reviewAccess answers what a user may do:
// kubernetes/kubernetes:pkg/registry/authorization/subjectaccessreview/rest.go.
func reviewAccess(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	review, err := bodyOf[*authorizationv1.SubjectAccessReview](x, a)
	if err != nil {
		return nil, err
	}
	review.Spec.ResourceAttributes = x.withSelectors(review.Spec.ResourceAttributes)
	if errs := objects.ValidateSubjectAccess(review, x.server.release()); len(errs) > 0 {
		return nil, x.invalidReview(errs)
	}
	if err := x.validateAs(ctx, a, review); err != nil {
		return nil, err
	}
	review.Status = x.access().Review(ctx, subjectOf(review.Spec), review.Spec.ResourceAttributes, review.Spec.NonResourceAttributes)
	return review, nil
}

// reviewLocalAccess answers what a user may do in one namespace.
func reviewLocalAccess(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	review, err := bodyOf[*authorizationv1.LocalSubjectAccessReview](x, a)
	if err != nil {
		return nil, err
	}
	review.Spec.ResourceAttributes = x.withSelectors(review.Spec.ResourceAttributes)
	if errs := objects.ValidateLocalAccess(review, x.server.release()); len(errs) > 0 {
		return nil, x.invalidReview(errs)
	}
	if review.Namespace != x.req.Namespace {
		return nil, badRequest("spec.resourceAttributes.namespace must match namespace: %v", x.req.Namespace)
	}
	if err := x.validateAs(ctx, a, review); err != nil {
		return nil, err
	}
	review.Status = x.access().Review(ctx, subjectOf(review.Spec), review.Spec.ResourceAttributes, nil)
	return review, nil
}

// reviewOwnAccess answers what the user of the request may do.
func reviewOwnAccess(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	review, err := bodyOf[*authorizationv1.SelfSubjectAccessReview](x, a)
	if err != nil {
		return nil, err
	}
	review.Spec.ResourceAttributes = x.withSelectors(review.Spec.ResourceAttributes)
	if errs := objects.ValidateOwnAccess(review, x.server.release()); len(errs) > 0 {
		return nil, x.invalidReview(errs)
	}
	if err := x.validateAs(ctx, a, review); err != nil {
		return nil, err
	}
	review.Status = x.access().Review(ctx, x.access().Who(), review.Spec.ResourceAttributes, review.Spec.NonResourceAttributes)
	return review, nil
}

func subjectOf(s authorizationv1.SubjectAccessReviewSpec) user.Info {
	return admission.Subject(s.User, s.UID, s.Groups, s.Extra)
}

// invalidReview refuses a review. As in the server, its kind is left out.
func (x *exchange) invalidReview(errs field.ErrorList) error {
	return x.refuseInvalid(schema.GroupKind{Group: authorizationv1.GroupName}, "", errs)
}

// withSelectors returns attributes as the release keeps them.
func (x *exchange) withSelectors(r *authorizationv1.ResourceAttributes) *authorizationv1.ResourceAttributes {
	if r == nil || r.FieldSelector == nil && r.LabelSelector == nil || x.server.release().Has(kubeversion.AuthorizerSelectors) {
		return r
	}
	without := *r
	without.FieldSelector, without.LabelSelector = nil, nil
	return &without
}
