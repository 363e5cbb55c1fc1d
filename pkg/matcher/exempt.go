package matcher

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const configurationGroup = "admissionregistration.k8s.io"

// An Exemption says who is not asked about a request.
type Exemption int

const (
	NotExempt     Exemption = iota
	ExemptFromAPI           // webhooks or policies that are objects of the cluster are not, those of static manifests are (W-047)
	ExemptFromAll
)

// ExemptFromWebhooks tells whether webhooks are not even looked at, and why: none sees a review of
// who may do what (W-038), and those of the cluster could lock their own configuration (W-034).
func ExemptFromWebhooks(req admission.Request, r *kubeversion.Release) (because string, e Exemption) {
	if kubeversion.IsReview(req.Resource.GroupResource()) && r.Has(kubeversion.ReviewsWithoutWebhooks) {
		return "webhooks never see " + req.Resource.Resource, ExemptFromAll
	}
	if req.Kind.Group != configurationGroup {
		return "", NotExempt
	}
	switch req.Kind.Kind {
	case "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
		"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding":
		return "webhooks never see a " + req.Kind.Kind, ExemptFromAPI
	}
	return "", NotExempt
}

// ExemptFromPolicies tells whether policies are not even looked at, and why: they judge no review
// of who may do what (W-036), and those of the cluster none of each other. Unlike webhooks, policies
// are exempted by resource, and may judge webhook configurations (W-037).
func ExemptFromPolicies(req admission.Request) (because string, e Exemption) {
	resource := req.Resource.GroupResource()
	if kubeversion.IsReview(resource) {
		return "policies never see " + req.Resource.Resource, ExemptFromAll
	}
	switch resource {
	case schema.GroupResource{Group: configurationGroup, Resource: "validatingadmissionpolicies"},
		schema.GroupResource{Group: configurationGroup, Resource: "validatingadmissionpolicybindings"},
		schema.GroupResource{Group: configurationGroup, Resource: "mutatingadmissionpolicies"},
		schema.GroupResource{Group: configurationGroup, Resource: "mutatingadmissionpolicybindings"}:
		return "policies never see " + req.Resource.Resource, ExemptFromAPI
	}
	return "", NotExempt
}
