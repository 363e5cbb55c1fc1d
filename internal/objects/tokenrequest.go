// kubernetes/kubernetes:pkg/apis/authentication/validation/validation.go

package objects

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// ValidateTokenRequest returns what is wrong with a defaulted request for a token.
func ValidateTokenRequest(t *authenticationv1.TokenRequest, r *kubeversion.Release) field.ErrorList {
	wrong, alone := validateAttestations(t, r)
	if alone {
		return wrong
	}
	path, seconds := field.NewPath("spec", "expirationSeconds"), *t.Spec.ExpirationSeconds
	var errs field.ErrorList
	switch {
	case seconds < 10*60:
		errs = append(errs, field.Invalid(path, seconds, "may not specify a duration less than 10 minutes"))
	case seconds > 1<<32:
		errs = append(errs, field.Invalid(path, seconds, "may not specify a duration larger than 2^32 seconds"))
	}
	return append(errs, wrong...)
}

// BindsWebhooks reports whether a token is bound to a webhook configuration.
func BindsWebhooks(ref *authenticationv1.BoundObjectReference, r *kubeversion.Release) bool {
	return ref != nil && r.Has(kubeversion.WebhookTokens) && ref.APIVersion == admissionregistrationv1.SchemeGroupVersion.String() &&
		(ref.Kind == "ValidatingWebhookConfiguration" || ref.Kind == "MutatingWebhookConfiguration")
}

// validateAttestations follows kubernetes/kubernetes:pkg/apis/authentication/validation/validation.go.
func validateAttestations(t *authenticationv1.TokenRequest, r *kubeversion.Release) (wrong field.ErrorList, alone bool) {
	path := field.NewPath("spec", "attestations")
	if !BindsWebhooks(t.Spec.BoundObjectRef, r) {
		if len(t.Spec.Attestations) == 0 {
			return nil, false
		}
		return field.ErrorList{field.Invalid(path, t.Spec.Attestations, "attestations may only be specified with a webhook bound object reference")}, true
	}
	if len(t.Spec.Audiences) != 1 {
		wrong = append(wrong, field.Invalid(field.NewPath("spec", "audiences"), t.Spec.Audiences, "must be length 1 when bound to a webhook config"))
	}
	if len(t.Spec.Attestations) != 1 {
		return append(wrong, field.Invalid(path, t.Spec.Attestations, "webhook bound requests require exactly one admissionReviewAPIGroups attestation")), false
	}
	for key, groups := range t.Spec.Attestations {
		at := path.Key(key)
		switch {
		case key != authenticationv1.AttestationAdmissionReviewAPIGroups:
			wrong = append(wrong, field.NotSupported(at, key, []string{authenticationv1.AttestationAdmissionReviewAPIGroups}))
		case len(groups) != 1:
			wrong = append(wrong, field.Invalid(at, groups, "must specify a single value"))
		case groups[0] == "":
			wrong = append(wrong, field.Invalid(at.Index(0), "", "may not be an empty string"))
		case groups[0] != "*":
			for _, reason := range validation.IsDNS1123Subdomain(groups[0]) {
				wrong = append(wrong, field.Invalid(at.Index(0), groups[0], "must specify a valid API Group: "+reason))
			}
		}
	}
	return wrong, false
}
