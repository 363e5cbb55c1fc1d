package matcher

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const configurationGroup = "admissionregistration.k8s.io"

// An Exemption says which webhooks or policies a request is exempt from.
type Exemption int

const (
	NotExempt     Exemption = iota
	ExemptFromAPI           // from webhooks and policies of the API, not from those of static manifests (W-047)
	ExemptFromAll
)

// ExemptFromWebhooks reports whether a request is exempt from webhooks, and why. No webhook sees an access review
// (W-038), and webhooks of the cluster do not see their own configuration, because they could lock it (W-034).
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

// ExemptFromPolicies reports whether a request is exempt from policies, and why. No policy sees an access review
// (W-036), and policies of the cluster do not see each other. Unlike for webhooks, the resource decides, and policies
// do see webhook configurations (W-037).
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
