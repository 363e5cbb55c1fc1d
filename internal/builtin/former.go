package builtin

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The group versions that served the types declared in this package. PodSecurityPolicies were served in two groups;
// extensions is the older one.
var (
	PolicyV1beta1                 = schema.GroupVersion{Group: "policy", Version: "v1beta1"}
	ExtensionsV1beta1             = schema.GroupVersion{Group: "extensions", Version: "v1beta1"}
	SettingsV1alpha1              = schema.GroupVersion{Group: "settings.k8s.io", Version: "v1alpha1"}
	AdmissionRegistrationV1alpha1 = schema.GroupVersion{Group: "admissionregistration.k8s.io", Version: "v1alpha1"}
	AutoscalingV2beta1            = schema.GroupVersion{Group: "autoscaling", Version: "v2beta1"}
	AutoscalingV2beta2            = schema.GroupVersion{Group: "autoscaling", Version: "v2beta2"}
	batchV2alpha1                 = schema.GroupVersion{Group: "batch", Version: "v2alpha1"}
	Core                          = schema.GroupVersion{Version: "v1"}
	apiRegistrationV1beta1        = schema.GroupVersion{Group: "apiregistration.k8s.io", Version: "v1beta1"}
	APIRegistrationV1             = schema.GroupVersion{Group: "apiregistration.k8s.io", Version: "v1"}
	AuditRegistrationV1alpha1     = schema.GroupVersion{Group: "auditregistration.k8s.io", Version: "v1alpha1"}
	CertificatesV1alpha1          = schema.GroupVersion{Group: "certificates.k8s.io", Version: "v1alpha1"}
	CoordinationV1alpha1          = schema.GroupVersion{Group: "coordination.k8s.io", Version: "v1alpha1"}
	DiscoveryV1alpha1             = schema.GroupVersion{Group: "discovery.k8s.io", Version: "v1alpha1"}
	FlowcontrolV1alpha1           = schema.GroupVersion{Group: "flowcontrol.apiserver.k8s.io", Version: "v1alpha1"}
	NetworkingV1alpha1            = schema.GroupVersion{Group: "networking.k8s.io", Version: "v1alpha1"}
	ResourceV1alpha1              = schema.GroupVersion{Group: "resource.k8s.io", Version: "v1alpha1"}
	ResourceV1alpha2              = schema.GroupVersion{Group: "resource.k8s.io", Version: "v1alpha2"}
	ResourceV1alpha3              = schema.GroupVersion{Group: "resource.k8s.io", Version: "v1alpha3"}
	SchedulingV1alpha1            = schema.GroupVersion{Group: "scheduling.k8s.io", Version: "v1alpha1"}
	SchedulingV1alpha2            = schema.GroupVersion{Group: "scheduling.k8s.io", Version: "v1alpha2"}
	StorageMigrationV1alpha1      = schema.GroupVersion{Group: "storagemigration.k8s.io", Version: "v1alpha1"}
)

// versionTypes lists the types declared here that a group version served.
type versionTypes struct {
	schema.GroupVersion
	types []runtime.Object
	named map[string]runtime.Object // types whose Go name differs from their kind
	whole bool                      // no scheme of k8s.io/api registers the group version
}

func formerVersions() []versionTypes {
	const scaler, scalers = "HorizontalPodAutoscaler", "HorizontalPodAutoscalerList"
	return []versionTypes{
		{GroupVersion: PolicyV1beta1, types: []runtime.Object{&PodSecurityPolicy{}, &PodSecurityPolicyList{}}},
		{GroupVersion: ExtensionsV1beta1, types: []runtime.Object{&PodSecurityPolicy{}, &PodSecurityPolicyList{}, &ReplicationControllerDummy{}}},
		{GroupVersion: AdmissionRegistrationV1alpha1, types: []runtime.Object{&InitializerConfiguration{}, &InitializerConfigurationList{}}},
		{GroupVersion: Core, types: []runtime.Object{&EphemeralContainers{}}},
		{GroupVersion: SettingsV1alpha1, types: []runtime.Object{&PodPreset{}, &PodPresetList{}}, whole: true},
		{GroupVersion: batchV2alpha1, types: []runtime.Object{&CronJob{}, &CronJobList{}}, whole: true},
		{GroupVersion: AutoscalingV2beta1, named: map[string]runtime.Object{scaler: &ScalerV2beta1{}, scalers: &ScalerListV2beta1{}}, whole: true},
		{GroupVersion: AutoscalingV2beta2, named: map[string]runtime.Object{scaler: &ScalerV2beta2{}, scalers: &ScalerListV2beta2{}}, whole: true},
		{GroupVersion: APIRegistrationV1, types: []runtime.Object{&APIService{}, &APIServiceList{}}, whole: true},
		{GroupVersion: apiRegistrationV1beta1, types: []runtime.Object{&APIService{}, &APIServiceList{}}, whole: true},
		{GroupVersion: AuditRegistrationV1alpha1, types: []runtime.Object{&AuditSink{}, &AuditSinkList{}}, whole: true},
		{GroupVersion: CertificatesV1alpha1, types: []runtime.Object{&PodCertificateRequest{}, &PodCertificateRequestList{}}},
		{GroupVersion: CoordinationV1alpha1, types: []runtime.Object{&LeaseCandidate{}, &LeaseCandidateList{}}, whole: true},
		{GroupVersion: DiscoveryV1alpha1, types: []runtime.Object{&EndpointSlice{}, &EndpointSliceList{}}, whole: true},
		{GroupVersion: FlowcontrolV1alpha1, types: []runtime.Object{&FlowSchema{}, &FlowSchemaList{}, &PriorityLevelConfiguration{}, &PriorityLevelConfigurationList{}}, whole: true},
		{GroupVersion: NetworkingV1alpha1, types: []runtime.Object{&ClusterCIDR{}, &ClusterCIDRList{}, &IPAddress{}, &IPAddressList{}, &ServiceCIDR{}, &ServiceCIDRList{}}, whole: true},
		{GroupVersion: ResourceV1alpha1, named: claimsV1alpha1, whole: true},
		{GroupVersion: ResourceV1alpha2, named: claimsV1alpha2, whole: true},
		{GroupVersion: ResourceV1alpha3, types: []runtime.Object{&DeviceTaintRule{}, &DeviceTaintRuleList{}}, named: claimsV1alpha3, whole: true},
		{GroupVersion: SchedulingV1alpha1, types: []runtime.Object{&PriorityClass{}, &PriorityClassList{}, &Workload{}, &WorkloadList{}}, whole: true},
		{GroupVersion: SchedulingV1alpha2, named: groupsV1alpha2, whole: true},
		{GroupVersion: StorageMigrationV1alpha1, types: []runtime.Object{&StorageVersionMigration{}, &StorageVersionMigrationList{}}, whole: true},
	}
}

// The kinds of dynamic resource allocation kept their names while they changed.
var (
	claimsV1alpha1 = map[string]runtime.Object{
		"PodScheduling": &PodScheduling{}, "PodSchedulingList": &PodSchedulingList{},
		"ResourceClaim": &ResourceClaimV1alpha1{}, "ResourceClaimList": &ResourceClaimListV1alpha1{},
		"ResourceClaimTemplate": &ResourceClaimTemplateV1alpha1{}, "ResourceClaimTemplateList": &ResourceClaimTemplateListV1alpha1{},
		"ResourceClass": &ResourceClassV1alpha1{}, "ResourceClassList": &ResourceClassListV1alpha1{},
	}
	claimsV1alpha2 = map[string]runtime.Object{
		"PodSchedulingContext": &PodSchedulingContextV1alpha2{}, "PodSchedulingContextList": &PodSchedulingContextListV1alpha2{},
		"ResourceClaim": &ResourceClaimV1alpha2{}, "ResourceClaimList": &ResourceClaimListV1alpha2{},
		"ResourceClaimParameters": &ResourceClaimParameters{}, "ResourceClaimParametersList": &ResourceClaimParametersList{},
		"ResourceClaimTemplate": &ResourceClaimTemplateV1alpha2{}, "ResourceClaimTemplateList": &ResourceClaimTemplateListV1alpha2{},
		"ResourceClass": &ResourceClassV1alpha2{}, "ResourceClassList": &ResourceClassListV1alpha2{},
		"ResourceClassParameters": &ResourceClassParameters{}, "ResourceClassParametersList": &ResourceClassParametersList{},
		"ResourceSlice": &ResourceSliceV1alpha2{}, "ResourceSliceList": &ResourceSliceListV1alpha2{},
	}
	claimsV1alpha3 = map[string]runtime.Object{
		"DeviceClass": &DeviceClassV1alpha3{}, "DeviceClassList": &DeviceClassListV1alpha3{},
		"PodSchedulingContext": &PodSchedulingContext{}, "PodSchedulingContextList": &PodSchedulingContextList{},
		"ResourceClaim": &ResourceClaimV1alpha3{}, "ResourceClaimList": &ResourceClaimListV1alpha3{},
		"ResourceClaimTemplate": &ResourceClaimTemplateV1alpha3{}, "ResourceClaimTemplateList": &ResourceClaimTemplateListV1alpha3{},
		"ResourceSlice": &ResourceSliceV1alpha3{}, "ResourceSliceList": &ResourceSliceListV1alpha3{},
	}
)

// Since v1alpha2, Workloads have templates for groups of pods.
var groupsV1alpha2 = map[string]runtime.Object{
	"PodGroup": &PodGroup{}, "PodGroupList": &PodGroupList{},
	"Workload": &WorkloadV1alpha2{}, "WorkloadList": &WorkloadListV1alpha2{},
}

// addFormer registers the types declared here that the group version served, if any.
func addFormer(s *runtime.Scheme, gv schema.GroupVersion) {
	for _, p := range formerVersions() {
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
