package rest

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// reviewAccess says what somebody may do:
// kubernetes/kubernetes:pkg/registry/authorization/subjectaccessreview/rest.go.
func reviewAccess(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	review, err := bodyOf[*authorizationv1.SubjectAccessReview](x, a)
	if err != nil {
		return nil, err
	}
	review.Spec.ResourceAttributes = x.withSelectors(review.Spec.ResourceAttributes)
	errs := validateAccess(review.Spec, x.server.release())
	errs = append(errs, noMetadata(review.ObjectMeta, false)...)
	if len(errs) > 0 {
		return nil, x.invalidReview(errs)
	}
	if err := x.validateAs(ctx, a, review); err != nil {
		return nil, err
	}
	review.Status = x.access(ctx, subjectOf(review.Spec), review.Spec.ResourceAttributes, review.Spec.NonResourceAttributes)
	return review, nil
}

// reviewLocalAccess says what somebody may do in one namespace.
func reviewLocalAccess(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	review, err := bodyOf[*authorizationv1.LocalSubjectAccessReview](x, a)
	if err != nil {
		return nil, err
	}
	review.Spec.ResourceAttributes = x.withSelectors(review.Spec.ResourceAttributes)
	if errs := validateLocalAccess(review, x.server.release()); len(errs) > 0 {
		return nil, x.invalidReview(errs)
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
	review, err := bodyOf[*authorizationv1.SelfSubjectAccessReview](x, a)
	if err != nil {
		return nil, err
	}
	review.Spec.ResourceAttributes = x.withSelectors(review.Spec.ResourceAttributes)
	errs := oneKindOfAccess(review.Spec.ResourceAttributes, review.Spec.NonResourceAttributes, x.server.release())
	errs = append(errs, noMetadata(review.ObjectMeta, false)...)
	if len(errs) > 0 {
		return nil, x.invalidReview(errs)
	}
	if err := x.validateAs(ctx, a, review); err != nil {
		return nil, err
	}
	review.Status = x.access(ctx, x.whoAsks(), review.Spec.ResourceAttributes, review.Spec.NonResourceAttributes)
	return review, nil
}

// withSelectors are attributes as the release keeps them.
func (x *exchange) withSelectors(r *authorizationv1.ResourceAttributes) *authorizationv1.ResourceAttributes {
	if r == nil || r.FieldSelector == nil && r.LabelSelector == nil || x.server.release().Has(kubeversion.AuthorizerSelectors) {
		return r
	}
	without := *r
	without.FieldSelector, without.LabelSelector = nil, nil
	return &without
}

// access asks the authorizer.
func (x *exchange) access(ctx context.Context, who user.Info, r *authorizationv1.ResourceAttributes, n *authorizationv1.NonResourceAttributes) authorizationv1.SubjectAccessReviewStatus {
	question := authorizer.AttributesRecord{User: who}
	if r != nil {
		question.ResourceRequest = true
		question.Verb, question.Namespace, question.Name = r.Verb, r.Namespace, r.Name
		question.APIGroup, question.APIVersion = r.Group, matchAny(r.Version)
		question.Resource, question.Subresource = r.Resource, r.Subresource
		if x.server.release().Has(kubeversion.AuthorizerSelectors) {
			question.FieldSelectorRequirements = selectedFields(r.FieldSelector)
		}
	} else if n != nil {
		question.Verb, question.Path = n.Verb, n.Path
	}
	decision, reason, err := x.authorizerOf(who).Authorize(ctx, question)
	status := authorizationv1.SubjectAccessReviewStatus{
		Allowed: decision == authorizer.DecisionAllow,
		Denied:  decision == authorizer.DecisionDeny,
		Reason:  reason,
	}
	status.EvaluationError = x.evaluationError(err, r)
	return status
}

func matchAny(version string) string {
	if version == "" {
		return "*"
	}
	return version
}

func subjectOf(s authorizationv1.SubjectAccessReviewSpec) user.Info {
	return admission.Subject(s.User, s.UID, s.Groups, s.Extra)
}

func validateAccess(s authorizationv1.SubjectAccessReviewSpec, release *kubeversion.Release) field.ErrorList {
	errs := oneKindOfAccess(s.ResourceAttributes, s.NonResourceAttributes, release)
	if s.User == "" && len(s.Groups) == 0 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "user"), s.User, "at least one of user or group must be specified"))
	}
	return errs
}

func validateLocalAccess(r *authorizationv1.LocalSubjectAccessReview, release *kubeversion.Release) field.ErrorList {
	errs := validateAccess(r.Spec, release)
	errs = append(errs, noMetadata(r.ObjectMeta, true)...)
	if a := r.Spec.ResourceAttributes; a != nil && a.Namespace != r.Namespace {
		errs = append(errs, field.Invalid(field.NewPath("spec.resourceAttributes.namespace"), a.Namespace, "must match metadata.namespace"))
	}
	if a := r.Spec.NonResourceAttributes; a != nil {
		errs = append(errs, field.Invalid(field.NewPath("spec.nonResourceAttributes"), internalPath(*a), "disallowed on this kind of request"))
	}
	return errs
}

// internalPath is a path as messages show it, which print the internal version.
type internalPath struct{ Path, Verb string }

// oneKindOfAccess checks what is asked for, and its selectors:
// kubernetes/kubernetes:pkg/apis/authorization/validation/validation.go.
func oneKindOfAccess(r *authorizationv1.ResourceAttributes, n *authorizationv1.NonResourceAttributes, release *kubeversion.Release) field.ErrorList {
	var errs field.ErrorList
	spec := field.NewPath("spec")
	const one = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
	switch {
	case (r == nil) == (n == nil) && release.Has(kubeversion.ReviewsAskForOne):
		var asked any = n
		if n != nil {
			asked = internalPath(*n)
		}
		errs = append(errs, field.Invalid(spec, asked, one))
	case r != nil && n != nil:
		errs = append(errs, field.Invalid(spec.Child("nonResourceAttributes"), internalPath(*n), "cannot be specified in combination with resourceAttributes"))
	case r == nil && n == nil:
		errs = append(errs, field.Invalid(spec.Child("resourceAttributes"), n, one))
	}
	if r == nil {
		return errs
	}
	if s := r.FieldSelector; s != nil {
		path := field.NewPath("spec.resourceAttributes").Child("fieldSelector")
		errs = append(errs, oneFormOfSelector(s.RawSelector, len(s.Requirements), path)...)
		for i, requirement := range s.Requirements {
			errs = append(errs, metav1validation.ValidateFieldSelectorRequirement(requirement, metav1validation.FieldSelectorValidationOptions{AllowUnknownOperatorInRequirement: true}, path.Child("requirements").Index(i))...)
		}
	}
	if s := r.LabelSelector; s != nil {
		path := field.NewPath("spec.resourceAttributes").Child("labelSelector")
		errs = append(errs, oneFormOfSelector(s.RawSelector, len(s.Requirements), path)...)
		for i, requirement := range s.Requirements {
			errs = append(errs, metav1validation.ValidateLabelSelectorRequirement(requirement, metav1validation.LabelSelectorValidationOptions{AllowUnknownOperatorInRequirement: true}, path.Child("requirements").Index(i))...)
		}
	}
	return errs
}

func oneFormOfSelector(raw string, requirements int, path *field.Path) field.ErrorList {
	switch {
	case raw != "" && requirements > 0:
		return field.ErrorList{field.Invalid(path.Child("rawSelector"), raw, "may not specified at the same time as requirements")}
	case raw == "" && requirements == 0:
		return field.ErrorList{field.Required(path.Child("requirements"), fmt.Sprintf("when %s is specified, requirements or rawSelector is required", path))}
	}
	return nil
}

// noMetadata is about a review that has metadata, but for the namespace of a local one. What it has
// is shown whole, with the owners of its fields, which the server has noted by then.
func noMetadata(m metav1.ObjectMeta, local bool) field.ErrorList {
	rest, detail := m, "must be empty"
	rest.ManagedFields = nil
	if local {
		rest.Namespace, detail = "", "must be empty except for namespace"
	}
	if semantic.DeepEqual(metav1.ObjectMeta{}, rest) {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("metadata"), m, detail)}
}

// invalidReview refuses a review. The server leaves out its kind.
func (x *exchange) invalidReview(errs field.ErrorList) error {
	return x.refuseInvalid(schema.GroupKind{Group: authorizationv1.GroupName}, "", errs)
}
