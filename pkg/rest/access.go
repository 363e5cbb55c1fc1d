package rest

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
)

// reviewAccess says what somebody may do:
// kubernetes/kubernetes:pkg/registry/authorization/subjectaccessreview/rest.go.
func reviewAccess(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	review, err := bodyOf[*authorizationv1.SubjectAccessReview](a)
	if err != nil {
		return nil, err
	}
	errs := validateAccess(review.Spec)
	errs = append(errs, noMetadata(review.ObjectMeta, "must be empty")...)
	if len(errs) > 0 {
		return nil, invalidReview(errs)
	}
	if err := x.validateAs(ctx, a, review); err != nil {
		return nil, err
	}
	review.Status = x.access(ctx, subjectOf(review.Spec), review.Spec.ResourceAttributes, review.Spec.NonResourceAttributes)
	return review, nil
}

// reviewLocalAccess says what somebody may do in one namespace.
func reviewLocalAccess(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	review, err := bodyOf[*authorizationv1.LocalSubjectAccessReview](a)
	if err != nil {
		return nil, err
	}
	if errs := validateLocalAccess(review); len(errs) > 0 {
		return nil, invalidReview(errs)
	}
	if review.Namespace != x.req.Namespace {
		return nil, badRequest("spec.resourceAttributes.namespace must match namespace: %v", x.req.Namespace)
	}
	if err := x.validateAs(ctx, a, review); err != nil {
		return nil, err
	}
	review.Status = x.access(ctx, subjectOf(review.Spec), review.Spec.ResourceAttributes, nil)
	return review, nil
}

// reviewOwnAccess says what the asker may do.
func reviewOwnAccess(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	review, err := bodyOf[*authorizationv1.SelfSubjectAccessReview](a)
	if err != nil {
		return nil, err
	}
	errs := oneKindOfAccess(review.Spec.ResourceAttributes, review.Spec.NonResourceAttributes)
	errs = append(errs, noMetadata(review.ObjectMeta, "must be empty")...)
	if len(errs) > 0 {
		return nil, invalidReview(errs)
	}
	if err := x.validateAs(ctx, a, review); err != nil {
		return nil, err
	}
	review.Status = x.access(ctx, x.whoAsks(), review.Spec.ResourceAttributes, review.Spec.NonResourceAttributes)
	return review, nil
}

// access asks the authorizer.
func (x *exchange) access(ctx context.Context, who user.Info, r *authorizationv1.ResourceAttributes, n *authorizationv1.NonResourceAttributes) authorizationv1.SubjectAccessReviewStatus {
	question := authorizer.AttributesRecord{User: who}
	if r != nil {
		question.ResourceRequest = true
		question.Verb, question.Namespace, question.Name = r.Verb, r.Namespace, r.Name
		question.APIGroup, question.APIVersion = r.Group, matchAny(r.Version)
		question.Resource, question.Subresource = r.Resource, r.Subresource
	} else if n != nil {
		question.Verb, question.Path = n.Verb, n.Path
	}
	decision, reason, err := x.server.Authorizer.Authorize(ctx, question)
	status := authorizationv1.SubjectAccessReviewStatus{
		Allowed: decision == authorizer.DecisionAllow,
		Denied:  decision == authorizer.DecisionDeny,
		Reason:  reason,
	}
	if err != nil {
		status.EvaluationError = err.Error()
	}
	return status
}

func matchAny(version string) string {
	if version == "" {
		return "*"
	}
	return version
}

func subjectOf(s authorizationv1.SubjectAccessReviewSpec) user.Info {
	return userOf(s.User, s.UID, s.Groups, s.Extra)
}

func validateAccess(s authorizationv1.SubjectAccessReviewSpec) field.ErrorList {
	errs := oneKindOfAccess(s.ResourceAttributes, s.NonResourceAttributes)
	if s.User == "" && len(s.Groups) == 0 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "user"), s.User, "at least one of user or group must be specified"))
	}
	return errs
}

func validateLocalAccess(r *authorizationv1.LocalSubjectAccessReview) field.ErrorList {
	errs := validateAccess(r.Spec)
	m := r.ObjectMeta
	m.Namespace = ""
	errs = append(errs, noMetadata(m, "must be empty except for namespace")...)
	if a := r.Spec.ResourceAttributes; a != nil && a.Namespace != r.Namespace {
		errs = append(errs, field.Invalid(field.NewPath("spec.resourceAttributes.namespace"), a.Namespace, "must match metadata.namespace"))
	}
	if a := r.Spec.NonResourceAttributes; a != nil {
		errs = append(errs, field.Invalid(field.NewPath("spec.nonResourceAttributes"), a, "disallowed on this kind of request"))
	}
	return errs
}

func oneKindOfAccess(r *authorizationv1.ResourceAttributes, n *authorizationv1.NonResourceAttributes) field.ErrorList {
	spec := field.NewPath("spec")
	switch {
	case r != nil && n != nil:
		return field.ErrorList{field.Invalid(spec.Child("nonResourceAttributes"), n, "cannot be specified in combination with resourceAttributes")}
	case r == nil && n == nil:
		return field.ErrorList{field.Invalid(spec.Child("resourceAttributes"), n, "exactly one of nonResourceAttributes or resourceAttributes must be specified")}
	}
	return nil
}

func noMetadata(m metav1.ObjectMeta, detail string) field.ErrorList {
	m.ManagedFields = nil
	if semantic.DeepEqual(metav1.ObjectMeta{}, m) {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("metadata"), m, detail)}
}

// invalidReview refuses a review. The server leaves out its kind.
func invalidReview(errs field.ErrorList) error {
	return refuse(apierrors.NewInvalid(schema.GroupKind{Group: authorizationv1.GroupName}, "", errs))
}
