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

// A place is a group and version with the types that it had.
type place struct {
	schema.GroupVersion
	types []runtime.Object
	named map[string]runtime.Object // where a Go type is not called as its kind
	whole bool                      // nothing of it is in k8s.io/api
}

func places() []place {
	const scaler, scalers = "HorizontalPodAutoscaler", "HorizontalPodAutoscalerList"
	return []place{
		{GroupVersion: PolicyV1beta1, types: []runtime.Object{&PodSecurityPolicy{}, &PodSecurityPolicyList{}}},
		{GroupVersion: ExtensionsV1beta1, types: []runtime.Object{&PodSecurityPolicy{}, &PodSecurityPolicyList{}}},
		{GroupVersion: AdmissionRegistrationV1alpha1, types: []runtime.Object{&InitializerConfiguration{}, &InitializerConfigurationList{}}},
		{GroupVersion: Core, types: []runtime.Object{&EphemeralContainers{}}},
		{GroupVersion: SettingsV1alpha1, types: []runtime.Object{&PodPreset{}, &PodPresetList{}}, whole: true},
		{GroupVersion: BatchV2alpha1, types: []runtime.Object{&CronJob{}, &CronJobList{}}, whole: true},
		{GroupVersion: AutoscalingV2beta1, named: map[string]runtime.Object{scaler: &ScalerV2beta1{}, scalers: &ScalerListV2beta1{}}, whole: true},
		{GroupVersion: AutoscalingV2beta2, named: map[string]runtime.Object{scaler: &ScalerV2beta2{}, scalers: &ScalerListV2beta2{}}, whole: true},
		{GroupVersion: APIRegistrationV1, types: []runtime.Object{&APIService{}, &APIServiceList{}}, whole: true},
		{GroupVersion: APIRegistrationV1beta1, types: []runtime.Object{&APIService{}, &APIServiceList{}}, whole: true},
	}
}

// GroupVersions are those that had one of the types.
func GroupVersions() []schema.GroupVersion {
	var all []schema.GroupVersion
	for _, p := range places() {
		all = append(all, p.GroupVersion)
	}
	return all
}

// AddToScheme makes the types that a group and version had known, if it had any.
func AddToScheme(s *runtime.Scheme, gv schema.GroupVersion) {
	for _, p := range places() {
		if p.GroupVersion != gv {
			continue
		}
		s.AddKnownTypes(gv, p.types...)
		for kind, object := range p.named {
			s.AddKnownTypeWithName(gv.WithKind(kind), object)
		}
		if p.whole {
			metav1.AddToGroupVersion(s, gv)
		}
	}
}
