package rules

import (
	"fmt"
	"net/url"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// ReviewVersions returns the versions of reviews of which a configuration has to name one, in the order of messages: those
// that the previous release supports as well.
func ReviewVersions(r *kubeversion.Release) []string {
	if !r.Has(kubeversion.ReviewsV1Suffice) {
		return []string{"v1beta1"}
	}
	return []string{"v1", "v1beta1"}
}

// NoReviewVersion returns the error about versions of reviews that a release does not support.
func NoReviewVersion(versions []string, at *field.Path, r *kubeversion.Release) field.ErrorList {
	text := "must include at least one of "
	if !r.Has(kubeversion.WebhooksV1) {
		text = "none of the versions accepted by this server. accepted version(s) are "
	}
	return field.ErrorList{field.Invalid(at, versions, text+strings.Join(ReviewVersions(r), ", "))}
}

var webhookURLForm = "; desired format: https://host[/path]"

func ValidateClientConfig(c admissionregistrationv1.WebhookClientConfig, path *field.Path) field.ErrorList {
	switch {
	case (c.URL == nil) == (c.Service == nil):
		return field.ErrorList{field.Required(path, "exactly one of url or service is required")}
	case c.URL != nil:
		return validateWebhookURL(*c.URL, path.Child("url"))
	}
	return validateWebhookService(c.Service, path.Child("service"))
}

// validateWebhookURL checks a URL (W-074).
func validateWebhookURL(text string, path *field.Path) field.ErrorList {
	u, err := url.Parse(text)
	if err != nil {
		return field.ErrorList{field.Required(path, "url must be a valid URL: "+err.Error()+webhookURLForm)}
	}
	var errs Errors
	if u.Scheme != "https" {
		errs.Invalid(path, u.Scheme, "'https' is the only allowed URL scheme"+webhookURLForm)
	}
	if u.Host == "" {
		errs.Invalid(path, u.Host, "host must be specified"+webhookURLForm)
	}
	if u.User != nil {
		errs.Invalid(path, u.User.String(), "user information is not permitted in the URL")
	}
	if u.Fragment != "" {
		errs.Invalid(path, u.Fragment, "fragments are not permitted in the URL")
	}
	if u.RawQuery != "" {
		errs.Invalid(path, u.RawQuery, "query parameters are not permitted in the URL")
	}
	return errs.List()
}

// validateWebhookService checks a service. The server mixes up the fields if name or namespace is missing (W-075).
func validateWebhookService(s *admissionregistrationv1.ServiceReference, path *field.Path) field.ErrorList {
	var errs Errors
	if s.Namespace == "" {
		errs.Required(path.Child("name"), "")
	}
	if s.Name == "" {
		errs.Required(path.Child("namespace"), "")
	}
	if s.Port != nil {
		if wrong := utilvalidation.IsValidPortNum(int(*s.Port)); wrong != nil {
			errs.Invalid(path.Child("port"), *s.Port, "port is not valid: "+strings.Join(wrong, ", "))
		}
	}
	if s.Path != nil {
		errs.Add(validateWebhookPath(*s.Path, path.Child("path")))
	}
	return errs.List()
}

// validateWebhookPath checks a path (W-077).
func validateWebhookPath(text string, path *field.Path) field.ErrorList {
	switch text {
	case "", "/":
		return nil
	case "//":
		return field.ErrorList{field.Invalid(path, text, "segment[0] may not be empty")}
	}
	var errs Errors
	if !strings.HasPrefix(text, "/") {
		errs.Invalid(path, text, "must start with a '/'")
	}
	// The first character is cut off whether it is a slash or not.
	for i, segment := range strings.Split(strings.TrimSuffix(text[1:], "/"), "/") {
		if segment == "" {
			errs.Invalid(path, text, fmt.Sprintf("segment[%d] may not be empty", i))
			continue
		}
		for _, wrong := range DNS1123Subdomain(segment) {
			errs.Invalid(path, text, fmt.Sprintf("segment[%d]: %v", i, wrong))
		}
	}
	return errs.List()
}

// ValidatingForm returns what a mutating webhook has in common with a validating one.
func ValidatingForm(h admissionregistrationv1.MutatingWebhook) admissionregistrationv1.ValidatingWebhook {
	return admissionregistrationv1.ValidatingWebhook{
		Name: h.Name, ClientConfig: h.ClientConfig, Rules: h.Rules, FailurePolicy: h.FailurePolicy,
		MatchPolicy: h.MatchPolicy, NamespaceSelector: h.NamespaceSelector, ObjectSelector: h.ObjectSelector,
		SideEffects: h.SideEffects, TimeoutSeconds: h.TimeoutSeconds,
		AdmissionReviewVersions: h.AdmissionReviewVersions, MatchConditions: h.MatchConditions,
	}
}
