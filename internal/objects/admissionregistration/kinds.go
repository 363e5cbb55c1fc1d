// Package admissionregistration has the rules of webhook configurations and admission policies, and of AuditSink, which
// configured webhooks for audit events up to 1.18. It follows kubernetes/kubernetes:pkg/apis/admissionregistration,
// pkg/apis/auditregistration and the strategies of pkg/registry.
package admissionregistration

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1alpha1 "k8s.io/api/admissionregistration/v1alpha1"
	admissionregistrationv1beta1 "k8s.io/api/admissionregistration/v1beta1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of both groups.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(admissionregistrationv1.SchemeGroupVersion, "MutatingWebhookConfiguration", mutatingWebhookConfiguration),
			rules.Hub(admissionregistrationv1.SchemeGroupVersion, "ValidatingWebhookConfiguration", validatingWebhookConfiguration),
			rules.Hub(admissionregistrationv1.SchemeGroupVersion, "MutatingAdmissionPolicy", mutatingAdmissionPolicy),
			rules.Hub(admissionregistrationv1.SchemeGroupVersion, "MutatingAdmissionPolicyBinding", mutatingAdmissionPolicyBinding),
			rules.Hub(admissionregistrationv1.SchemeGroupVersion, "ValidatingAdmissionPolicy", validatingAdmissionPolicy),
			rules.Hub(admissionregistrationv1.SchemeGroupVersion, "ValidatingAdmissionPolicyBinding", validatingAdmissionPolicyBinding),
			rules.Hub(builtin.AuditRegistrationV1alpha1, "AuditSink", auditSink),
		},
		Versions: []*rules.Version{
			rules.Reshape(admissionregistrationv1beta1.SchemeGroupVersion, admissionregistrationv1.SchemeGroupVersion, "MutatingWebhookConfiguration", defaultMutatingWebhooksV1beta1),
			rules.Reshape(admissionregistrationv1beta1.SchemeGroupVersion, admissionregistrationv1.SchemeGroupVersion, "ValidatingWebhookConfiguration", defaultValidatingWebhooksV1beta1),
			rules.Reshape(admissionregistrationv1alpha1.SchemeGroupVersion, admissionregistrationv1.SchemeGroupVersion, "MutatingAdmissionPolicyBinding", func(b *admissionregistrationv1alpha1.MutatingAdmissionPolicyBinding) {
				defaultParamRefV1alpha1(b.Spec.ParamRef)
			}),
			rules.Reshape(admissionregistrationv1alpha1.SchemeGroupVersion, admissionregistrationv1.SchemeGroupVersion, "ValidatingAdmissionPolicyBinding", func(b *admissionregistrationv1alpha1.ValidatingAdmissionPolicyBinding) {
				defaultParamRefV1alpha1(b.Spec.ParamRef)
			}),
		},
	}
}
