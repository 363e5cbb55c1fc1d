package objects

import "k8s.io/apimachinery/pkg/runtime/schema"

// A laterRow is a field and the minor versions from which servers know it, and have it on,
// unless its feature gate is set otherwise.
type laterRow struct {
	path      string
	known, on int
	gate      string // where kubeversion knows it
}

// notYet is since when a field is on that no release has on unless its gate is set.
const notYet = 99

// laterFieldTable lists, by the group and kind of the hub, fields that webhooks and plugins look
// at, or whose defaults would show. The numbers are those of the feature gates
// (kubernetes/kubernetes:pkg/features/kube_features.go); on is left out where the field came
// without one, or on.
var laterFieldTable = map[schema.GroupKind][]laterRow{
	{Kind: "Pod"}: {
		{"spec.resources", 32, 0, ""},
		{"status.podIPs", 16, 0, ""},
		{"status.hostIPs", 28, 29, ""},
	},
	{Kind: "Namespace"}: {
		// Anybody could set the label before.
		{"metadata.labels[kubernetes.io/metadata.name]", 0, 21, ""},
	},
	{Kind: "Service"}: {
		{"spec.internalTrafficPolicy", 21, 22, "ServiceInternalTrafficPolicy"},
		{"spec.clusterIPs", 20, 0, ""},
		{"spec.ipFamilies", 20, 0, ""},
		{"spec.ipFamilyPolicy", 20, 0, ""},
		{"spec.allocateLoadBalancerNodePorts", 20, 22, "ServiceLBNodePortControl"},
		{"spec.loadBalancerClass", 21, 22, "ServiceLoadBalancerClass"},
		{"spec.trafficDistribution", 30, 31, "ServiceTrafficDistribution"},
		{"spec.ports[].appProtocol", 18, 19, "ServiceAppProtocol"},
		{"status.conditions", 20, 0, ""},
		{"status.loadBalancer.ingress[].ipMode", 29, 30, "LoadBalancerIPMode"},
	},
	{Kind: "PersistentVolumeClaim"}: {
		{"spec.dataSourceRef", 22, 24, "AnyVolumeDataSource"},
		{"spec.volumeAttributesClassName", 29, 34, "VolumeAttributesClass"},
		{"status.allocatedResourceStatuses", 28, 32, "RecoverVolumeExpansionFailure"},
		{"status.currentVolumeAttributesClassName", 29, 34, "VolumeAttributesClass"},
		{"status.modifyVolumeStatus", 29, 34, "VolumeAttributesClass"},
	},
	{Kind: "PersistentVolume"}: {
		{"spec.csi.nodeExpandSecretRef", 25, 27, "CSINodeExpandSecret"},
		{"spec.volumeAttributesClassName", 29, 34, "VolumeAttributesClass"},
		{"status.lastPhaseTransitionTime", 28, 29, "PersistentVolumeLastPhaseTransitionTime"},
	},
	{Kind: "Node"}: {
		{"status.runtimeHandlers", 30, 31, "RecursiveReadOnlyMounts"},
		{"status.runtimeHandlers[].features.userNamespaces", 31, 0, ""},
		{"status.features", 31, 33, "SupplementalGroupsPolicy"},
		{"status.nodeInfo.swap", 33, 0, ""},
		{"status.declaredFeatures", 35, 0, ""},
	},
	{Kind: "ConfigMap"}:                 {{"immutable", 18, 19, "ImmutableEphemeralVolumes"}},
	{Kind: "Secret"}:                    {{"immutable", 18, 19, "ImmutableEphemeralVolumes"}},
	{Group: "apps", Kind: "Deployment"}: {{"status.terminatingReplicas", 33, 35, "DeploymentReplicaSetTerminatingReplicas"}},
	{Group: "apps", Kind: "ReplicaSet"}: {{"status.terminatingReplicas", 33, 35, "DeploymentReplicaSetTerminatingReplicas"}},
	{Group: "apps", Kind: "DaemonSet"}: {
		{"spec.updateStrategy.rollingUpdate.maxSurge", 21, 22, "DaemonSetUpdateSurge"},
	},
	{Group: "apps", Kind: "StatefulSet"}: {
		{"spec.persistentVolumeClaimRetentionPolicy", 23, 27, "StatefulSetAutoDeletePVC"},
		{"spec.minReadySeconds", 22, 23, "StatefulSetMinReadySeconds"},
		{"spec.ordinals", 26, 27, "StatefulSetStartOrdinal"},
		{"spec.updateStrategy.rollingUpdate.maxUnavailable", 24, 35, "MaxUnavailableStatefulSet"},
	},
	{Group: "batch", Kind: "Job"}: append(laterJobFields("spec."),
		laterRow{"status.failedIndexes", 28, 29, "JobBackoffLimitPerIndex"},
		laterRow{"status.terminating", 28, 29, "JobPodReplacementPolicy"}),
	{Group: "batch", Kind: "CronJob"}: append(laterJobFields("spec.jobTemplate.spec."), laterRow{"spec.timeZone", 24, 25, "CronJobTimeZone"}),
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}: {
		{"spec.behavior", 18, 0, ""},
		{"spec.behavior.scaleUp.tolerance", 33, 35, "HPAConfigurableTolerance"},
		{"spec.behavior.scaleDown.tolerance", 33, 35, "HPAConfigurableTolerance"},
		{"spec.metrics[].containerResource", 20, 27, "HPAContainerMetrics"},
	},
	{Group: "networking.k8s.io", Kind: "Ingress"}: {
		{"spec.ingressClassName", 18, 0, ""},
		{"spec.rules[].http.paths[].pathType", 18, 0, ""},
	},
	{Group: "networking.k8s.io", Kind: "IngressClass"}: {
		{"spec.parameters.scope", 21, 22, "IngressClassNamespacedParams"},
		{"spec.parameters.namespace", 21, 22, "IngressClassNamespacedParams"},
	},
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}: {
		{"spec.ingress[].ports[].endPort", 21, 22, "NetworkPolicyEndPort"},
		{"spec.egress[].ports[].endPort", 21, 22, "NetworkPolicyEndPort"},
	},
	{Group: "policy", Kind: "PodDisruptionBudget"}: {
		{"spec.unhealthyPodEvictionPolicy", 26, 27, "PDBUnhealthyPodEvictionPolicy"},
	},
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}: {
		{"preemptionPolicy", 15, 19, "NonPreemptingPriority"},
	},
	{Group: "node.k8s.io", Kind: "RuntimeClass"}: {
		{"overhead", 16, 18, "PodOverhead"},
		{"scheduling", 16, 0, ""},
	},
	{Group: "storage.k8s.io", Kind: "CSIDriver"}: {
		{"spec.volumeLifecycleModes", 15, 16, "CSIInlineVolume"},
		{"spec.fsGroupPolicy", 19, 20, "CSIVolumeFSGroupPolicy"},
		{"spec.storageCapacity", 19, 21, "CSIStorageCapacity"},
		{"spec.tokenRequests", 20, 21, "CSIServiceAccountToken"},
		{"spec.requiresRepublish", 20, 21, "CSIServiceAccountToken"},
		{"spec.seLinuxMount", 25, 27, ""},
		{"spec.nodeAllocatableUpdatePeriodSeconds", 33, 35, "MutableCSINodeAllocatableCount"},
		{"spec.serviceAccountTokenInSecrets", 35, 0, ""},
		{"spec.preventPodSchedulingIfMissing", 35, notYet, ""},
	},
	{Group: "storage.k8s.io", Kind: "VolumeAttachment"}: {
		{"status.attachError.errorCode", 33, 35, "MutableCSINodeAllocatableCount"},
		{"status.detachError.errorCode", 33, 35, "MutableCSINodeAllocatableCount"},
	},
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"}: {
		{"endpoints[].hints.forNodes", 33, 34, "PreferSameTrafficDistribution"},
	},
	{Group: "authorization.k8s.io", Kind: "SubjectAccessReview"}:      laterSelectors,
	{Group: "authorization.k8s.io", Kind: "SelfSubjectAccessReview"}:  laterSelectors,
	{Group: "authorization.k8s.io", Kind: "LocalSubjectAccessReview"}: laterSelectors,
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: {
		{"spec.versions[].selectableFields", 30, 31, "CustomResourceFieldSelectors"},
		{"status.observedGeneration", 35, 0, ""},
	},
	{Group: "resource.k8s.io", Kind: "DeviceClass"}:           {{"spec.extendedResourceName", 34, 36, "DRAExtendedResource"}},
	{Group: "resource.k8s.io", Kind: "ResourceClaim"}:         laterDeviceFields("spec."),
	{Group: "resource.k8s.io", Kind: "ResourceClaimTemplate"}: laterDeviceFields("spec.spec."),
	{Group: "coordination.k8s.io", Kind: "Lease"}: {
		{"spec.strategy", 31, notYet, "CoordinatedLeaderElection"},
		{"spec.preferredHolder", 31, notYet, "CoordinatedLeaderElection"},
	},
}

var laterSelectors = []laterRow{
	{"spec.resourceAttributes.fieldSelector", 31, 32, "AuthorizeWithSelectors"},
	{"spec.resourceAttributes.labelSelector", 31, 32, "AuthorizeWithSelectors"},
}

// laterDeviceFields are those of a claim of devices.
func laterDeviceFields(prefix string) []laterRow {
	rows := []laterRow{
		{"constraints[].distinctAttribute", 34, 36, "DRAConsumableCapacity"},
		{"requests[].firstAvailable", 33, 34, "DRAPrioritizedList"},
		{"requests[].exactly.adminAccess", 31, 34, "DRAAdminAccess"},
	}
	for _, request := range []string{"requests[].exactly", "requests[].firstAvailable[]"} {
		rows = append(rows, laterRow{request + ".capacity", 34, 36, "DRAConsumableCapacity"},
			laterRow{request + ".tolerations", 33, 0, ""})
	}
	for i := range rows {
		rows[i].path = prefix + "devices." + rows[i].path
	}
	return rows
}

func laterJobFields(prefix string) []laterRow {
	rows := []laterRow{
		{"completionMode", 21, 22, "IndexedJob"},
		{"suspend", 21, 22, "SuspendJob"},
		{"podFailurePolicy", 25, 26, "JobPodFailurePolicy"},
		{"podReplacementPolicy", 28, 29, "JobPodReplacementPolicy"},
		{"backoffLimitPerIndex", 28, 29, "JobBackoffLimitPerIndex"},
		{"maxFailedIndexes", 28, 29, "JobBackoffLimitPerIndex"},
		{"managedBy", 30, 32, "JobManagedBy"},
		{"successPolicy", 30, 31, "JobSuccessPolicy"},
	}
	for i := range rows {
		rows[i].path = prefix + rows[i].path
	}
	return rows
}

// podsWithin says where kinds have the metadata and spec of pods.
var podsWithin = map[schema.GroupKind]string{
	{Kind: "Pod"}:                        "",
	{Kind: "PodTemplate"}:                "template.",
	{Kind: "ReplicationController"}:      "spec.template.",
	{Group: "apps", Kind: "Deployment"}:  "spec.template.",
	{Group: "apps", Kind: "ReplicaSet"}:  "spec.template.",
	{Group: "apps", Kind: "StatefulSet"}: "spec.template.",
	{Group: "apps", Kind: "DaemonSet"}:   "spec.template.",
	{Group: "batch", Kind: "Job"}:        "spec.template.",
	{Group: "batch", Kind: "CronJob"}:    "spec.jobTemplate.spec.template.",
}

var laterPodFields = []laterRow{
	{"preemptionPolicy", 15, 19, "NonPreemptingPriority"},
	{"overhead", 16, 18, "PodOverhead"},
	{"topologySpreadConstraints", 16, 18, "EvenPodsSpread"},
	{"ephemeralContainers", 16, 0, ""},
	{"setHostnameAsFQDN", 19, 20, "SetHostnameAsFQDN"},
	{"os", 23, 24, "IdentifyPodOS"},
	{"hostUsers", 25, 33, ""},
	{"schedulingGates", 26, 27, "PodSchedulingReadiness"},
	{"resourceClaims", 26, 34, "DynamicResourceAllocation"},
	{"resourceClaims[].resourceClaimName", 31, 0, ""},
	{"resourceClaims[].resourceClaimTemplateName", 31, 0, ""},
	{"hostnameOverride", 34, 35, "HostnameOverride"},
	{"schedulingGroup", 36, 0, ""},
	{"securityContext.fsGroupChangePolicy", 18, 20, "ConfigurableFSGroupPolicy"},
	{"securityContext.seccompProfile", 19, 0, ""},
	{"securityContext.appArmorProfile", 30, 0, ""},
	{"securityContext.supplementalGroupsPolicy", 31, 33, "SupplementalGroupsPolicy"},
	{"securityContext.seLinuxChangePolicy", 32, 33, ""},
	{"topologySpreadConstraints[].minDomains", 24, 27, "MinDomainsInPodTopologySpread"},
	{"topologySpreadConstraints[].nodeAffinityPolicy", 25, 26, "NodeInclusionPolicyInPodTopologySpread"},
	{"topologySpreadConstraints[].nodeTaintsPolicy", 25, 26, "NodeInclusionPolicyInPodTopologySpread"},
	{"topologySpreadConstraints[].matchLabelKeys", 25, 27, ""},
	{"volumes[].ephemeral", 19, 21, "GenericEphemeralVolume"},
	{"volumes[].image", 31, 0, ""},
	{"volumes[].image.pullPolicy", 31, 35, "ImageVolume"},
	{"volumes[].projected.sources[].clusterTrustBundle", 29, 0, ""},
	{"volumes[].projected.sources[].podCertificate", 34, 0, ""},
	{"volumes[].projected.sources[].podCertificate.userAnnotations", 35, 0, ""},
}

// laterAffinityFields are those of each term about other pods.
func laterAffinityFields() (rows []laterRow) {
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		for _, term := range []string{"requiredDuringSchedulingIgnoredDuringExecution[]", "preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm"} {
			for _, keys := range []string{"matchLabelKeys", "mismatchLabelKeys"} {
				rows = append(rows, laterRow{"affinity." + kind + "." + term + "." + keys, 29, 31, "MatchLabelKeysInPodAffinity"})
			}
		}
	}
	return rows
}

var laterContainerFields = []laterRow{
	{"startupProbe", 16, 18, "StartupProbe"},
	{"restartPolicy", 28, 29, "SidecarContainers"},
	{"resizePolicy", 27, 33, "InPlacePodVerticalScaling"},
	{"restartPolicyRules", 34, 0, ""},
	{"resources.claims", 26, 34, "DynamicResourceAllocation"},
	{"resources.claims[].request", 31, 0, ""},
	{"env[].valueFrom.fileKeyRef", 34, 35, "EnvFiles"},
	{"lifecycle.stopSignal", 33, 0, ""},
	{"securityContext.seccompProfile", 19, 0, ""},
	{"securityContext.appArmorProfile", 30, 0, ""},
	{"securityContext.windowsOptions.hostProcess", 22, 23, "WindowsHostProcessContainers"},
	{"livenessProbe.grpc", 23, 24, "GRPCContainerProbe"},
	{"readinessProbe.grpc", 23, 24, "GRPCContainerProbe"},
	{"startupProbe.grpc", 23, 24, "GRPCContainerProbe"},
	{"livenessProbe.terminationGracePeriodSeconds", 21, 25, "ProbeTerminationGracePeriod"},
	{"startupProbe.terminationGracePeriodSeconds", 21, 25, "ProbeTerminationGracePeriod"},
	{"lifecycle.preStop.sleep", 29, 30, "PodLifecycleSleepAction"},
	{"volumeMounts[].recursiveReadOnly", 30, 31, "RecursiveReadOnlyMounts"},
}
