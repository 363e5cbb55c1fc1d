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
	AutoscalingV2beta1            = schema.GroupVersion{Group: "autoscaling", Version: "v2beta1"}
	AutoscalingV2beta2            = schema.GroupVersion{Group: "autoscaling", Version: "v2beta2"}
	BatchV2alpha1                 = schema.GroupVersion{Group: "batch", Version: "v2alpha1"}
	Core                          = schema.GroupVersion{Version: "v1"}
	APIRegistrationV1beta1        = schema.GroupVersion{Group: "apiregistration.k8s.io", Version: "v1beta1"}
	APIRegistrationV1             = schema.GroupVersion{Group: "apiregistration.k8s.io", Version: "v1"}
)

// AddToScheme makes the types known under the groups and versions that had them.
func AddToScheme(s *runtime.Scheme) error {
	for _, gv := range []schema.GroupVersion{PolicyV1beta1, ExtensionsV1beta1} {
		s.AddKnownTypes(gv, &PodSecurityPolicy{}, &PodSecurityPolicyList{})
	}
	s.AddKnownTypes(SettingsV1alpha1, &PodPreset{}, &PodPresetList{})
	s.AddKnownTypes(AdmissionRegistrationV1alpha1, &InitializerConfiguration{}, &InitializerConfigurationList{})
	s.AddKnownTypes(BatchV2alpha1, &CronJob{}, &CronJobList{})
	s.AddKnownTypes(Core, &EphemeralContainers{})
	for _, gv := range []schema.GroupVersion{APIRegistrationV1, APIRegistrationV1beta1} {
		s.AddKnownTypes(gv, &APIService{}, &APIServiceList{})
	}
	const scaler, scalers = "HorizontalPodAutoscaler", "HorizontalPodAutoscalerList"
	s.AddKnownTypeWithName(AutoscalingV2beta1.WithKind(scaler), &ScalerV2beta1{})
	s.AddKnownTypeWithName(AutoscalingV2beta1.WithKind(scalers), &ScalerListV2beta1{})
	s.AddKnownTypeWithName(AutoscalingV2beta2.WithKind(scaler), &ScalerV2beta2{})
	s.AddKnownTypeWithName(AutoscalingV2beta2.WithKind(scalers), &ScalerListV2beta2{})
	for _, gv := range []schema.GroupVersion{SettingsV1alpha1, AutoscalingV2beta1, AutoscalingV2beta2, BatchV2alpha1, APIRegistrationV1, APIRegistrationV1beta1} {
		metav1.AddToGroupVersion(s, gv)
	}
	return nil
}
