package kubeversion

// A fieldGate is a feature gate for fields of objects. It exists from since, is on by default from on, and does not
// exist any more in forGood, where its fields are always on.
type fieldGate struct {
	name               string
	since, on, forGood int // minor versions
}

// fieldGates are listed here together, since a release has dozens of them and differs from the next one in most. A test
// checks their numbers against gates.txt.
var fieldGates = []fieldGate{
	{"AnyVolumeDataSource", 18, 24, 33},
	{"BlockVolume", 10, 13, 18},
	{"CSIInlineVolume", 14, 16, 25},
	{"CSINodeExpandSecret", 25, 27, 29},
	{"CSIServiceAccountToken", 20, 21, 22},
	{"CSIStorageCapacity", 19, 21, 24},
	{"CSIVolumeFSGroupPolicy", 19, 20, 23},
	{"ConfigurableFSGroupPolicy", 18, 20, 23},
	{"CustomResourceValidationExpressions", 23, 25, 31},
	{"ContainerRestartRules", 34, 35, 99},
	{"CronJobTimeZone", 24, 25, 27},
	{"CustomResourceFieldSelectors", 30, 31, 32},
	{"DRAAdminAccess", 32, 34, 36},
	{"DRAConsumableCapacity", 34, 36, 99},
	{"DRAPrioritizedList", 33, 34, 99},
	{"DaemonSetUpdateSurge", 21, 22, 25},
	{"DeploymentReplicaSetTerminatingReplicas", 33, 35, 99},
	{"DynamicProvisioningScheduling", 11, 12, 12},
	{"EndpointSliceTerminatingCondition", 20, 22, 26},
	{"EnvFiles", 34, 35, 99},
	{"EvenPodsSpread", 16, 18, 19},
	{"GRPCContainerProbe", 23, 24, 27},
	{"GenericEphemeralVolume", 19, 21, 23},
	{"HPAConfigurableTolerance", 33, 35, 99},
	{"HPAContainerMetrics", 20, 27, 30},
	{"HostnameOverride", 34, 35, 99},
	{"IdentifyPodOS", 23, 24, 25},
	{"ImageVolume", 31, 35, 99},
	{"ImmutableEphemeralVolumes", 18, 19, 21},
	{"IndexedJob", 21, 22, 24},
	{"IngressClassNamespacedParams", 21, 22, 23},
	{"JobBackoffLimitPerIndex", 28, 29, 33},
	{"JobManagedBy", 30, 32, 35},
	{"JobPodFailurePolicy", 25, 26, 31},
	{"JobPodReplacementPolicy", 28, 29, 34},
	{"JobSuccessPolicy", 30, 31, 33},
	{"LoadBalancerIPMode", 29, 30, 32},
	{"MatchLabelKeysInPodAffinity", 29, 31, 33},
	{"MatchLabelKeysInPodTopologySpreadSelectorMerge", 34, 34, 99},
	{"MinDomainsInPodTopologySpread", 24, 27, 30},
	{"MutableCSINodeAllocatableCount", 33, 35, 36},
	{"NetworkPolicyEndPort", 21, 22, 25},
	{"NodeInclusionPolicyInPodTopologySpread", 25, 26, 33},
	{"NonPreemptingPriority", 15, 19, 24},
	{"PDBUnhealthyPodEvictionPolicy", 26, 27, 31},
	{"PersistentVolumeLastPhaseTransitionTime", 28, 29, 31},
	{"PodAffinityNamespaceSelector", 21, 22, 26},
	{"PodLifecycleSleepAction", 29, 30, 34},
	{"PodOverhead", 16, 18, 24},
	{"PodPriority", 10, 11, 16},
	{"PodReadinessGates", 11, 12, 14},
	{"PodSchedulingReadiness", 26, 27, 30},
	{"PodShareProcessNamespace", 10, 12, 17},
	{"PreferSameTrafficDistribution", 33, 34, 35},
	{"ProbeTerminationGracePeriod", 21, 25, 28},
	{"ProcMountType", 12, 33, 99},
	{"RecursiveReadOnlyMounts", 30, 31, 33},
	{"ResourceQuotaScopeSelectors", 11, 12, 17},
	{"RunAsGroup", 10, 14, 21},
	{"RuntimeClass", 12, 14, 20},
	{"ServiceAppProtocol", 18, 19, 20},
	{"ServiceInternalTrafficPolicy", 21, 22, 26},
	{"ServiceLBNodePortControl", 20, 22, 24},
	{"ServiceLoadBalancerClass", 21, 22, 24},
	{"ServiceTrafficDistribution", 30, 31, 33},
	{"SetHostnameAsFQDN", 19, 20, 22},
	{"SidecarContainers", 28, 29, 33},
	{"StartupProbe", 16, 18, 20},
	{"StatefulSetAutoDeletePVC", 23, 27, 32},
	{"StatefulSetMinReadySeconds", 22, 23, 25},
	{"StatefulSetStartOrdinal", 26, 27, 31},
	{"SupplementalGroupsPolicy", 31, 33, 35},
	{"SuspendJob", 21, 22, 24},
	{"TTLAfterFinished", 12, 21, 23},
	{"TokenRequestProjection", 11, 12, 20},
	{"TopologyAwareHints", 21, 24, 33},
	{"VolumeSubpathEnvExpansion", 11, 15, 17},
	{"WindowsGMSA", 14, 16, 18},
	{"WindowsRunAsUserName", 16, 17, 18},
}

// fieldGatesOf returns the field gates of a release, with their defaults.
func fieldGatesOf(minor int) map[string]bool {
	gates := map[string]bool{}
	for _, g := range fieldGates {
		if g.since <= minor && minor < g.forGood {
			gates[g.name] = g.on <= minor
		}
	}
	return gates
}
