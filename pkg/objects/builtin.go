package objects

import (
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1beta1 "k8s.io/api/admissionregistration/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// hubs lists the built-in kinds that have rules, each in its hub version.
func hubs() []*entry {
	return []*entry{
		hub(apiextensionsv1.SchemeGroupVersion, "CustomResourceDefinition", customResourceDefinition),
		hub(admissionregistrationv1.SchemeGroupVersion, "MutatingWebhookConfiguration", mutatingWebhookConfiguration),
		hub(admissionregistrationv1.SchemeGroupVersion, "ValidatingWebhookConfiguration", validatingWebhookConfiguration),
		hub(admissionregistrationv1.SchemeGroupVersion, "MutatingAdmissionPolicy", mutatingAdmissionPolicy),
		hub(admissionregistrationv1.SchemeGroupVersion, "MutatingAdmissionPolicyBinding", mutatingAdmissionPolicyBinding),
		hub(admissionregistrationv1.SchemeGroupVersion, "ValidatingAdmissionPolicy", validatingAdmissionPolicy),
		hub(admissionregistrationv1.SchemeGroupVersion, "ValidatingAdmissionPolicyBinding", validatingAdmissionPolicyBinding),

		hub(corev1.SchemeGroupVersion, "ConfigMap", configMap),
	}
}

// versions lists the other versions, where they differ from their hub in more than name.
func versions() []*spoke {
	return []*spoke{
		reshape(admissionregistrationv1beta1.SchemeGroupVersion, admissionregistrationv1.SchemeGroupVersion, "MutatingWebhookConfiguration", defaultMutatingWebhooksV1beta1),
		reshape(admissionregistrationv1beta1.SchemeGroupVersion, admissionregistrationv1.SchemeGroupVersion, "ValidatingWebhookConfiguration", defaultValidatingWebhooksV1beta1),
	}
}

var entries = sync.OnceValue(func() map[schema.GroupVersionKind]*entry {
	m := map[schema.GroupVersionKind]*entry{}
	for _, e := range hubs() {
		m[e.gvk] = e
	}
	return m
})

var spokes = sync.OnceValue(func() map[schema.GroupVersionKind]*spoke {
	m := map[schema.GroupVersionKind]*spoke{}
	for _, s := range versions() {
		m[s.gvk] = s
	}
	return m
})
