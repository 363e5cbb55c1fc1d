package matcher

import (
	"testing"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func TestExempt(t *testing.T) {
	request := func(group, version, resource, kind string) admission.Request {
		return admission.Request{Resource: gvr(group, version, resource), Kind: gvk(group, version, kind)}
	}
	const config, authn, authz = "admissionregistration.k8s.io", "authentication.k8s.io", "authorization.k8s.io"
	before, err := kubeversion.Parse("1.36")
	if err != nil {
		t.Fatal(err)
	}
	since, err := kubeversion.Parse("1.37")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason             string
		request            admission.Request
		webhooks, policies Exemption
	}{
		{"W-034 W-037 policies may judge webhooks", request(config, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration"), ExemptFromAPI, NotExempt},
		{"W-034 W-037 validating webhooks, too", request(config, "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration"), ExemptFromAPI, NotExempt},
		{"W-037 policies in any version", request(config, "v1beta1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy"), ExemptFromAPI, ExemptFromAPI},
		{"W-037 their bindings", request(config, "v1", "validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding"), ExemptFromAPI, ExemptFromAPI},
		{"W-037 mutating policies", request(config, "v1", "mutatingadmissionpolicies", "MutatingAdmissionPolicy"), ExemptFromAPI, ExemptFromAPI},
		{"W-037 mutating bindings", request(config, "v1alpha1", "mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding"), ExemptFromAPI, ExemptFromAPI},
		{"W-037 subresources", onSubresource(request(config, "v1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy"), "status"), ExemptFromAPI, ExemptFromAPI},
		{"W-034 only that group", request("example.com", "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration"), NotExempt, NotExempt},
		{"W-036 W-038 webhooks see reviews", request(authn, "v1", "tokenreviews", "TokenReview"), NotExempt, ExemptFromAll},
		{"W-036", request(authn, "v1", "selfsubjectreviews", "SelfSubjectReview"), NotExempt, ExemptFromAll},
		{"W-036", request(authz, "v1", "localsubjectaccessreviews", "LocalSubjectAccessReview"), NotExempt, ExemptFromAll},
		{"W-036", request(authz, "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview"), NotExempt, ExemptFromAll},
		{"W-036", request(authz, "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview"), NotExempt, ExemptFromAll},
		{"W-036 in any version", request(authz, "v1beta1", "subjectaccessreviews", "SubjectAccessReview"), NotExempt, ExemptFromAll},
		{"W-038 token requests", onSubresource(request("", "v1", "serviceaccounts", "TokenRequest"), "token"), NotExempt, NotExempt},
		{"W-040 writes to a subresource", onSubresource(request("", "v1", "pods", "Pod"), "status"), NotExempt, NotExempt},
	} {
		for _, who := range []struct {
			name   string
			exempt func(admission.Request) (string, Exemption)
			want   Exemption
		}{
			{"webhooks", func(req admission.Request) (string, Exemption) { return ExemptFromWebhooks(req, before) }, c.webhooks},
			{"webhooks since 1.37", func(req admission.Request) (string, Exemption) { return ExemptFromWebhooks(req, since) }, max(c.webhooks, reviewsExempt(c.request))},
			{"policies", ExemptFromPolicies, c.policies},
		} {
			because, got := who.exempt(c.request)
			if got != who.want {
				t.Errorf("%s: %s exempt from %s: %d, want %d", c.reason, c.request.Kind.Kind, who.name, got, who.want)
			}
			if (got == NotExempt) != (because == "") {
				t.Errorf("%s: %s exempt from %s: %d, because %q", c.reason, c.request.Kind.Kind, who.name, got, because)
			}
		}
	}
}

// reviewsExempt returns the exemption of a review since 1.37.
func reviewsExempt(req admission.Request) Exemption {
	if kubeversion.IsReview(req.Resource.GroupResource()) {
		return ExemptFromAll
	}
	return NotExempt
}
