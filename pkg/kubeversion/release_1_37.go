package kubeversion

import "sync"

// Kubernetes 1.37 is written out in full; every other release is written as its differences from its neighbour.
var release137 = sync.OnceValue(func() *Release {
	r := &Release{Version: "1.37", Minor: 37, Plugins: plugins(plugins137), offered: resources137.parse()}
	// Only the gates that a plugin, a resource or a rule for an object depends on.
	r.gates = map[string]bool{
		"AllowInsecureKubeletCertificateSigningRequests": false,
		"CRDValidationRatcheting":                        true,
		"ClusterTrustBundle":                             true,
		"CoordinatedLeaderElection":                      false,
		"CompositePodGroup":                              false,
		"CSIVolumeHealth":                                false,
		"EvictionRequestAPI":                             false,
		"ExcludeAdmissionWebhookVirtualResources":        true,
		"HPAGeneration":                                  true,
		"HPAScaleToZero":                                 true,
		"DRADeviceTaintRules":                            true,
		"DRAExtendedResource":                            true,
		"DRAResourcePoolStatus":                          false,
		"DynamicResourceAllocation":                      true,
		"GenericWorkload":                                false,
		"InPlacePodLevelResourcesVerticalScaling":        true,
		"InPlacePodVerticalScaling":                      true,
		"InPlacePodVerticalScalingInitContainers":        true,
		"ManifestBasedAdmissionControlConfig":            true,
		"MaxUnavailableStatefulSet":                      true,
		"MultiCIDRServiceAllocator":                      true,
		"MutatingAdmissionPolicy":                        true,
		"NodeDeclaredFeatures":                           true,
		"PodCertificateRequest":                          true,
		"PodLevelResources":                              true,
		"PodTopologyLabelsAdmission":                     true,
		"RecoverVolumeExpansionFailure":                  true,
		"RetryGenerateName":                              true,
		"ServiceAccountNodeAudienceRestriction":          true,
		"StorageVersionAPI":                              false,
		"StorageVersionMigrator":                         true,
		"ValidatingAdmissionPolicy":                      true,
		"PodLevelResourcesFixDefaulting":                 true,
		"VolumeLimitScaling":                             true,
		"VolumeAttributesClass":                          true,
		"WorkloadWithJob":                                false,
	}
	change{r}.pluginBehind("MutatingAdmissionPolicy", "MutatingAdmissionPolicy")
	change{r}.pluginBehind("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicy")
	r.fieldGates = fieldGatesOf(r.Minor)
	return r.serve()
})

// W-003.
const plugins137 = `
AlwaysAdmit                          MV  CUDX  off
NamespaceAutoProvision               M   C     off
NamespaceLifecycle                   M   CUD   on
NamespaceExists                      V   CUD   off
LimitPodHardAntiAffinityTopology     V   CU    off
LimitRanger                          MV  CU    on
ServiceAccount                       MV  CU    on
NodeRestriction                      M   CUD   off
TaintNodesByCondition                M   C     on
AlwaysPullImages                     MV  CU    off
ImagePolicyWebhook                   V   CU    off
PodSecurity                          V   CU    on   since=1.22
PodNodeSelector                      MV  C     off
Priority                             MV  CUD   on
DefaultTolerationSeconds             M   CU    on
PodTolerationRestriction             MV  CU    off
EventRateLimit                       V   CU    off
ExtendedResourceToleration           M   CU    off
DefaultStorageClass                  M   C     on
StorageObjectInUseProtection         M   C     on
PodGroupProtection                   M   C     on   since=1.36
OwnerReferencesPermissionEnforcement V   CU    off
PersistentVolumeClaimResize          V   U     on
RuntimeClass                         MV  C     on
CertificateApproval                  V   U     on   since=1.18
CertificateSigning                   V   U     on   since=1.18
ClusterTrustBundleAttest             V   CU    on   since=1.27
CertificateSubjectRestriction        V   C     on   since=1.18
DefaultIngressClass                  M   C     on   since=1.18
DenyServiceExternalIPs               V   CU    off  since=1.21
PodTopologyLabels                    M   C     on   since=1.33
NodeDeclaredFeatureValidator         V   CU    on   since=1.35
PodResizeValidator                   V   U     on   since=1.36
MutatingAdmissionPolicy              M   CUX   on   since=1.32
MutatingAdmissionWebhook             M   CUDX  on
ValidatingAdmissionPolicy            V   CUDX  on   since=1.26
ValidatingAdmissionWebhook           V   CUDX  on
ResourceQuota                        V   CU    on
AlwaysDeny                           MV  CUDX  off
`
