package removed

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Where the types were served. PodSecurityPolicies had two groups, of which the extensions
// were the older one.
var (
	PolicyV1beta1                 = schema.GroupVersion{Group: "policy", Version: "v1beta1"}
	ExtensionsV1beta1             = schema.GroupVersion{Group: "extensions", Version: "v1beta1"}
	SettingsV1alpha1              = schema.GroupVersion{Group: "settings.k8s.io", Version: "v1alpha1"}
	AdmissionRegistrationV1alpha1 = schema.GroupVersion{Group: "admissionregistration.k8s.io", Version: "v1alpha1"}
)

// AddToScheme makes the types known under the groups and versions that had them.
func AddToScheme(s *runtime.Scheme) error {
	for _, gv := range []schema.GroupVersion{PolicyV1beta1, ExtensionsV1beta1} {
		s.AddKnownTypes(gv, &PodSecurityPolicy{}, &PodSecurityPolicyList{})
	}
	s.AddKnownTypes(SettingsV1alpha1, &PodPreset{}, &PodPresetList{})
	s.AddKnownTypes(AdmissionRegistrationV1alpha1, &InitializerConfiguration{}, &InitializerConfigurationList{})
	metav1.AddToGroupVersion(s, SettingsV1alpha1)
	return nil
}
