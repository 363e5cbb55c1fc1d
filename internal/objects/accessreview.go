// kubernetes/kubernetes:pkg/apis/authorization/validation/validation.go

package objects

import (
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// ValidateSubjectAccess returns what is wrong with a review of what a user may do.
func ValidateSubjectAccess(r *authorizationv1.SubjectAccessReview, release *kubeversion.Release) field.ErrorList {
	return append(validateAccess(r.Spec, release), noMetadata(r.ObjectMeta, false)...)
}

func validateAccess(s authorizationv1.SubjectAccessReviewSpec, release *kubeversion.Release) field.ErrorList {
	errs := oneKindOfAccess(s.ResourceAttributes, s.NonResourceAttributes, release)
	if s.User == "" && len(s.Groups) == 0 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "user"), s.User, "at least one of user or group must be specified"))
	}
	return errs
}

// ValidateLocalAccess returns what is wrong with a review of what a user may do in one namespace.
func ValidateLocalAccess(r *authorizationv1.LocalSubjectAccessReview, release *kubeversion.Release) field.ErrorList {
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

// ValidateOwnAccess returns what is wrong with a review of what the user of the request may do.
func ValidateOwnAccess(r *authorizationv1.SelfSubjectAccessReview, release *kubeversion.Release) field.ErrorList {
	errs := oneKindOfAccess(r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes, release)
	return append(errs, noMetadata(r.ObjectMeta, false)...)
}

// internalPath is a path as messages show it. They print the internal version.
type internalPath struct{ Path, Verb string }

// InGo returns the path as releases show it that print Go values.
func (p internalPath) InGo() any { return authorizationv1.NonResourceAttributes(p) }

// oneKindOfAccess checks the attributes and their selectors.
func oneKindOfAccess(r *authorizationv1.ResourceAttributes, n *authorizationv1.NonResourceAttributes, release *kubeversion.Release) field.ErrorList {
	var errs field.ErrorList
	spec := field.NewPath("spec")
	const one = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
	switch {
	case (r == nil) == (n == nil) && release.Has(kubeversion.ReviewsAskForOne):
		var shown any = n
		if n != nil {
			shown = internalPath(*n)
		}
		errs = append(errs, field.Invalid(spec, shown, one))
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

// noMetadata checks that a review has no metadata, except for the namespace of a local one. The error shows the
// metadata as a whole, including the managed fields, which the server has set by then.
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
