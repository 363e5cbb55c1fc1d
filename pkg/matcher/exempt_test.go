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
		webhooks, policies bool
	}{
		{"W-034 W-037 policies may judge webhooks", request(config, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration"), true, false},
		{"W-034 W-037 the other ones too", request(config, "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration"), true, false},
		{"W-037 policies in any version", request(config, "v1beta1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy"), true, true},
		{"W-037 their bindings", request(config, "v1", "validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding"), true, true},
		{"W-037 mutating policies", request(config, "v1", "mutatingadmissionpolicies", "MutatingAdmissionPolicy"), true, true},
		{"W-037 mutating bindings", request(config, "v1alpha1", "mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding"), true, true},
		{"W-037 subresources", of(request(config, "v1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy"), "status"), true, true},
		{"W-034 only that group", request("example.com", "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration"), false, false},
		{"W-036 W-038 webhooks see reviews", request(authn, "v1", "tokenreviews", "TokenReview"), false, true},
		{"W-036", request(authn, "v1", "selfsubjectreviews", "SelfSubjectReview"), false, true},
		{"W-036", request(authz, "v1", "localsubjectaccessreviews", "LocalSubjectAccessReview"), false, true},
		{"W-036", request(authz, "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview"), false, true},
		{"W-036", request(authz, "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview"), false, true},
		{"W-036 in any version", request(authz, "v1beta1", "subjectaccessreviews", "SubjectAccessReview"), false, true},
		{"W-038 token requests", of(request("", "v1", "serviceaccounts", "TokenRequest"), "token"), false, false},
		{"W-040 writes to a subresource", of(request("", "v1", "pods", "Pod"), "status"), false, false},
	} {
		for _, who := range []struct {
			name   string
			exempt func(admission.Request) (string, bool)
			want   bool
		}{
			{"webhooks", func(req admission.Request) (string, bool) { return ExemptFromWebhooks(req, before) }, c.webhooks},
			{"webhooks since 1.37", func(req admission.Request) (string, bool) { return ExemptFromWebhooks(req, since) }, c.webhooks || kubeversion.IsReview(c.request.Resource.GroupResource())},
			{"policies", ExemptFromPolicies, c.policies},
		} {
			because, got := who.exempt(c.request)
			if got != who.want {
				t.Errorf("%s: %s of %s exempt: %v, want %v", c.reason, c.request.Kind.Kind, who.name, got, who.want)
			}
			if got == (because == "") {
				t.Errorf("%s: %s exempt from %s: %v, because %q", c.reason, c.request.Kind.Kind, who.name, got, because)
			}
		}
	}
}
