package matcher

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const configurationGroup = "admissionregistration.k8s.io"

// ExemptFromWebhooks tells whether webhooks configured through the API are not even looked
// at, so that they cannot lock their own configuration (W-034), and why. Those of static
// manifests, which are not simulated, would be (W-046).
func ExemptFromWebhooks(req admission.Request, r *kubeversion.Release) (because string, exempt bool) {
	if kubeversion.IsReview(req.Resource.GroupResource()) && r.Has(kubeversion.ReviewsWithoutWebhooks) {
		return "webhooks never see " + req.Resource.Resource, true
	}
	if req.Kind.Group != configurationGroup {
		return "", false
	}
	switch req.Kind.Kind {
	case "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
		"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding":
		return "webhooks never see a " + req.Kind.Kind, true
	}
	return "", false
}

// ExemptFromPolicies tells whether policies are not even looked at, and why: they judge no review
// of who may do what (W-036), and none of each other. Unlike webhooks, policies are exempted by
// resource, and may judge webhook configurations (W-037).
func ExemptFromPolicies(req admission.Request) (because string, exempt bool) {
	resource := req.Resource.GroupResource()
	if kubeversion.IsReview(resource) {
		return "policies never see " + req.Resource.Resource, true
	}
	switch resource {
	case schema.GroupResource{Group: configurationGroup, Resource: "validatingadmissionpolicies"},
		schema.GroupResource{Group: configurationGroup, Resource: "validatingadmissionpolicybindings"},
		schema.GroupResource{Group: configurationGroup, Resource: "mutatingadmissionpolicies"},
		schema.GroupResource{Group: configurationGroup, Resource: "mutatingadmissionpolicybindings"}:
		return "policies never see " + req.Resource.Resource, true
	}
	return "", false
}
