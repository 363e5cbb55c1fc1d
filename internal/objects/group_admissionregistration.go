package objects

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1beta1 "k8s.io/api/admissionregistration/v1beta1"
)

// admissionregistrationKinds are those of the group.
func admissionregistrationKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(admissionregistrationv1.SchemeGroupVersion, "MutatingWebhookConfiguration", mutatingWebhookConfiguration),
			hub(admissionregistrationv1.SchemeGroupVersion, "ValidatingWebhookConfiguration", validatingWebhookConfiguration),
			hub(admissionregistrationv1.SchemeGroupVersion, "MutatingAdmissionPolicy", mutatingAdmissionPolicy),
			hub(admissionregistrationv1.SchemeGroupVersion, "MutatingAdmissionPolicyBinding", mutatingAdmissionPolicyBinding),
			hub(admissionregistrationv1.SchemeGroupVersion, "ValidatingAdmissionPolicy", validatingAdmissionPolicy),
			hub(admissionregistrationv1.SchemeGroupVersion, "ValidatingAdmissionPolicyBinding", validatingAdmissionPolicyBinding),
		},
		Versions: []*spoke{
			reshape(admissionregistrationv1beta1.SchemeGroupVersion, admissionregistrationv1.SchemeGroupVersion, "MutatingWebhookConfiguration", defaultMutatingWebhooksV1beta1),
			reshape(admissionregistrationv1beta1.SchemeGroupVersion, admissionregistrationv1.SchemeGroupVersion, "ValidatingWebhookConfiguration", defaultValidatingWebhooksV1beta1),
		},
	}
}
