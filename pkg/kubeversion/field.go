package kubeversion

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Field is a field that was added to a kind later. A server whose release does not know the field ignores it. A
// server that knows the field, but has it off, does not set its default, and removes it before a write.
type Field struct {
	Path string // spec.containers[].name, metadata.labels[a.b/c], metadata.annotations[former:spec.workloadRef]

	since, on int    // minor versions that introduced it, and in which it is on by default
	gate      string // without numbers, since and on are those of [fieldGates]
	dropped   int    // the first release that removes it while it is off; earlier ones keep or refuse it
	Lax       bool   // an update may set it while it is off

	beside   []string // see [Release.Beside]
	inStatus []string // fields of the same gate in the status of a claim
}

// Beside returns the paths of the same field in the other containers, or of the other fields of a gate in
// resource.k8s.io. An update may set all of these fields while they are off if the old object has any of them.
func (r *Release) Beside(f Field) []string {
	if r.Has(ClaimFieldsDroppedFirst) {
		return f.beside
	}
	return slices.Concat(f.beside, f.inStatus)
}

// Name returns the path as users know it.
func (f Field) Name() string {
	within, path, kept := strings.Cut(strings.TrimSuffix(f.Path, "]"), "metadata.annotations[former:")
	if !kept {
		return f.Path
	}
	return within + path
}

// Gate returns the gate of the field; empty if it has none.
func (f Field) Gate() string { return f.gate }

// notYet is the value of on for fields that are off in all releases unless their gate is set.
const notYet = 99

// Fields returns the later fields of a kind, by their paths in the stored version.
func Fields(kind schema.GroupKind) []Field {
	var fields []Field
	add := func(prefix string, rows []Field) {
		for _, f := range rows {
			f.Path = prefix + f.Path
			fields = append(fields, f.settled())
		}
	}
	add("", laterFields[kind])
	if kind.Group == "resource.k8s.io" {
		joinByGate(fields)
	}
	if prefix, ok := podsWithin[kind]; ok {
		add(prefix+"spec.", laterPodFields)
		add(prefix, []Field{{Path: former("spec.workloadRef"), since: 35, on: notYet, gate: "GenericWorkload"}})
		add(prefix+"spec.", laterAffinityFields())
		lists := []string{prefix + "spec.containers[].", prefix + "spec.initContainers[].", prefix + "spec.ephemeralContainers[]."}
		for _, list := range lists {
			for _, f := range laterContainerFields {
				for _, other := range lists {
					if other != list {
						f.beside = append(f.beside, other+f.Path)
					}
					if hook, ok := otherHook[f.Path]; ok {
						f.beside = append(f.beside, other+hook)
					}
				}
				add(list, []Field{f})
			}
		}
	}
	return fields
}

// former returns the path of a field that the Go types do not have, which package moved keeps in an annotation.
func former(path string) string { return "metadata.annotations[former:" + path + "]" }

// joinByGate puts the fields of each gate beside each other.
func joinByGate(fields []Field) {
	for i := range fields {
		for j := range fields {
			if i != j && fields[i].gate != "" && fields[i].gate == fields[j].gate {
				fields[i].beside = append(fields[i].beside, fields[j].Path)
			}
		}
	}
}

// FieldKinds returns the kinds that have such fields, sorted.
func FieldKinds() []schema.GroupKind {
	kinds := maps.Clone(podsWithin)
	for kind := range laterFields {
		kinds[kind] = ""
	}
	return slices.SortedFunc(maps.Keys(kinds), func(a, b schema.GroupKind) int { return strings.Compare(a.String(), b.String()) })
}

// settled fills in the numbers of the gate of f, if f has none.
func (f Field) settled() Field {
	for _, g := range fieldGates {
		if f.since == 0 && f.on == 0 && g.name == f.gate {
			f.since, f.on = g.since, g.on
		}
	}
	f.on = max(f.since, f.on)
	return f
}

// IsNew reports whether a release introduced the field. Otherwise it existed from the start, and only what the server
// does with it is new: users could always set it.
func (f Field) IsNew() bool { return f.since > 0 }

// Knows reports whether the release has a field, on or off.
func (r *Release) Knows(f Field) bool { return r.Minor >= f.since }

// HasOn reports whether the release has a field, and whether its gate is on.
func (r *Release) HasOn(f Field) bool {
	if r.Minor < f.dropped {
		return r.Knows(f)
	}
	if on, ok := r.Gate(f.gate); ok {
		return on && r.Knows(f)
	}
	return r.Minor >= f.on
}

// laterFields lists, by the group and kind of the hub, later fields with a gate, and those with defaults. For all others,
// fields.txt is sufficient: see [Release.AbsentFields]. The numbers are those of the feature gates
// (kubernetes/kubernetes:pkg/features/kube_features.go); on is omitted if the field was introduced without a gate, or was
// on from the start.
var laterFields = map[schema.GroupKind][]Field{
	{Kind: "Pod"}: {
		{Path: "status.extendedResourceClaimStatus", since: 34, on: 36, gate: "DRAExtendedResource"},
		{Path: "status.nodeAllocatableResourceClaimStatuses", since: 36, on: notYet, gate: "DRANodeAllocatableResources"},
		{Path: "status.hostIPs", since: 28, on: 29},
		{Path: "status.volumeHealth", since: 37, on: notYet, gate: "CSIVolumeHealth"},
	},
	{Kind: "Namespace"}: {
		// Earlier, anyone could set the label.
		{Path: "metadata.labels[kubernetes.io/metadata.name]", on: 21},
	},
	{Kind: "Service"}: {
		{Path: former("spec.ipFamily"), since: 16, on: 21, gate: "IPv6DualStack"},
		{Path: former("spec.topologyKeys"), since: 17, on: notYet, gate: "ServiceTopology"},
		{Path: "spec.internalTrafficPolicy", gate: "ServiceInternalTrafficPolicy"},
		{Path: "spec.clusterIPs", since: 20},
		{Path: "spec.ipFamilies", since: 20},
		{Path: "spec.ipFamilyPolicy", since: 20},
		{Path: "spec.allocateLoadBalancerNodePorts", gate: "ServiceLBNodePortControl"},
		{Path: "spec.loadBalancerClass", gate: "ServiceLoadBalancerClass"},
		{Path: "spec.trafficDistribution", gate: "ServiceTrafficDistribution"},
		{Path: "spec.ports[].appProtocol", gate: "ServiceAppProtocol", dropped: 20},
		{Path: "status.loadBalancer.ingress[].ipMode", gate: "LoadBalancerIPMode"},
	},
	{Kind: "PersistentVolumeClaim"}: {
		{Path: "spec.dataSource", since: 12, on: 12},
		{Path: "spec.volumeMode", gate: "BlockVolume"},
		{Path: "spec.dataSourceRef", since: 22, on: 24, gate: "AnyVolumeDataSource"},
		{Path: "spec.volumeAttributesClassName", since: 29, on: 34, gate: "VolumeAttributesClass"},
		{Path: "status.allocatedResources", since: 23, on: 32, gate: "RecoverVolumeExpansionFailure"},
		{Path: "status.allocatedResourceStatuses", since: 28, on: 32, gate: "RecoverVolumeExpansionFailure"},
		{Path: former("status.resizeStatus"), since: 23, on: 32, gate: "RecoverVolumeExpansionFailure"},
		{Path: "status.healthStatus", since: 37, on: notYet, gate: "CSIVolumeHealth"},
		{Path: "status.currentVolumeAttributesClassName", since: 29, on: 34, gate: "VolumeAttributesClass"},
		{Path: "status.modifyVolumeStatus", since: 29, on: 34, gate: "VolumeAttributesClass"},
	},
	{Kind: "PersistentVolume"}: {
		{Path: "spec.volumeMode", gate: "BlockVolume"},
		{Path: "spec.csi.controllerExpandSecretRef", since: 15, on: 16, gate: "ExpandCSIVolumes"},
		{Path: "spec.csi.nodeExpandSecretRef", gate: "CSINodeExpandSecret"},
		{Path: "spec.volumeAttributesClassName", since: 29, on: 34, gate: "VolumeAttributesClass", dropped: 31},
		{Path: "status.lastPhaseTransitionTime", gate: "PersistentVolumeLastPhaseTransitionTime"},
	},
	{Kind: "Node"}: {
		{Path: "status.runtimeHandlers", gate: "RecursiveReadOnlyMounts"},
		{Path: "status.features", gate: "SupplementalGroupsPolicy"},
		{Path: "spec.podPreemptionPolicy", since: 37, on: notYet, gate: "InPlacePodVerticalScalingSchedulerPreemption"},
		{Path: "status.nodeInfo.runningInUserNamespace", since: 37, gate: "KubeletInUserNamespace"},
	},
	{Kind: "ConfigMap"}:                 {{Path: "immutable", gate: "ImmutableEphemeralVolumes"}},
	{Kind: "Secret"}:                    {{Path: "immutable", gate: "ImmutableEphemeralVolumes"}},
	{Kind: "ResourceQuota"}:             {{Path: "spec.scopeSelector", gate: "ResourceQuotaScopeSelectors"}},
	{Group: "apps", Kind: "Deployment"}: {{Path: "status.terminatingReplicas", gate: "DeploymentReplicaSetTerminatingReplicas"}},
	{Group: "apps", Kind: "ReplicaSet"}: {{Path: "status.terminatingReplicas", gate: "DeploymentReplicaSetTerminatingReplicas"}},
	{Group: "apps", Kind: "DaemonSet"}: {
		{Path: "spec.updateStrategy.rollingUpdate.maxSurge", gate: "DaemonSetUpdateSurge"},
	},
	{Group: "apps", Kind: "StatefulSet"}: {
		{Path: "spec.persistentVolumeClaimRetentionPolicy", gate: "StatefulSetAutoDeletePVC"},
		{Path: "spec.minReadySeconds", gate: "StatefulSetMinReadySeconds", Lax: true},
		{Path: "spec.ordinals", gate: "StatefulSetStartOrdinal"},
		{Path: "spec.updateStrategy.rollingUpdate.maxUnavailable", since: 24, on: 37, gate: "MaxUnavailableStatefulSet"},
	},
	{Group: "batch", Kind: "Job"}: {
		{Path: "spec.completionMode", gate: "IndexedJob"},
		{Path: "spec.ttlSecondsAfterFinished", gate: "TTLAfterFinished"},
		{Path: "spec.suspend", gate: "SuspendJob"},
		{Path: "spec.podFailurePolicy", gate: "JobPodFailurePolicy"},
		{Path: "spec.podReplacementPolicy", gate: "JobPodReplacementPolicy"},
		{Path: "spec.backoffLimitPerIndex", gate: "JobBackoffLimitPerIndex"},
		{Path: "spec.maxFailedIndexes", gate: "JobBackoffLimitPerIndex"},
		{Path: "spec.successPolicy", gate: "JobSuccessPolicy"},
		{Path: "spec.managedBy", gate: "JobManagedBy", Lax: true},
		{Path: "spec.scheduling", since: 37, on: notYet, gate: "WorkloadWithJob"},
	},
	{Group: "batch", Kind: "CronJob"}: { // the template of its jobs keeps nearly all of the above
		{Path: "spec.jobTemplate.spec.scheduling", since: 37, on: notYet, gate: "WorkloadWithJob"},
		{Path: "spec.timeZone", gate: "CronJobTimeZone"},
	},
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}: {
		{Path: "spec.behavior", since: 18},
		{Path: "spec.behavior.scaleUp.tolerance", gate: "HPAConfigurableTolerance"},
		{Path: "spec.behavior.scaleDown.tolerance", gate: "HPAConfigurableTolerance"},
		{Path: "spec.metrics[].containerResource", gate: "HPAContainerMetrics"},
	},
	{Group: "networking.k8s.io", Kind: "Ingress"}: {
		{Path: "spec.rules[].http.paths[].pathType", since: 18},
	},
	{Group: "networking.k8s.io", Kind: "IngressClass"}: {
		{Path: "spec.parameters.scope", gate: "IngressClassNamespacedParams"},
		{Path: "spec.parameters.namespace", gate: "IngressClassNamespacedParams"},
	},
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}: {
		{Path: "spec.ingress[].ports[].endPort", gate: "NetworkPolicyEndPort"},
		{Path: "spec.egress[].ports[].endPort", gate: "NetworkPolicyEndPort"},
	},
	{Group: "policy", Kind: "PodDisruptionBudget"}: {
		{Path: "spec.unhealthyPodEvictionPolicy", gate: "PDBUnhealthyPodEvictionPolicy"},
	},
	{Group: "scheduling.k8s.io", Kind: "PodGroup"}: groupFields("spec", Field{Path: "spec.parentCompositePodGroupName", since: 37, on: notYet, gate: "CompositePodGroup"},
		Field{Path: "status.resourceClaimStatuses", since: 36, on: notYet, gate: "DRAWorkloadResourceClaims"}),
	{Group: "scheduling.k8s.io", Kind: "CompositePodGroup"}: {
		{Path: "spec.preemptionPolicy", since: 37, on: notYet, gate: "PodGroupPreemptionPolicy"},
	},
	{Group: "scheduling.k8s.io", Kind: "Workload"}: groupFields("spec.podGroupTemplates[]", Field{Path: "spec.compositePodGroupTemplates", since: 37, on: notYet, gate: "CompositePodGroup"}),
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}: {
		{Path: "preemptionPolicy", gate: "NonPreemptingPriority"},
	},
	{Group: "node.k8s.io", Kind: "RuntimeClass"}: {
		{Path: "overhead", gate: "PodOverhead"},
	},
	{Group: "storage.k8s.io", Kind: "CSIDriver"}: {
		{Path: "spec.volumeLifecycleModes", since: 16, gate: "CSIInlineVolume"},
		{Path: "spec.fsGroupPolicy", gate: "CSIVolumeFSGroupPolicy"},
		{Path: "spec.storageCapacity", gate: "CSIStorageCapacity"},
		{Path: "spec.tokenRequests", gate: "CSIServiceAccountToken"},
		{Path: "spec.requiresRepublish", gate: "CSIServiceAccountToken"},
		{Path: "spec.seLinuxMount", since: 25, on: 28},
		{Path: "spec.nodeAllocatableUpdatePeriodSeconds", gate: "MutableCSINodeAllocatableCount"},
		{Path: "spec.preventPodSchedulingIfMissing", since: 36, on: 37, gate: "VolumeLimitScaling"},
	},
	{Group: "storage.k8s.io", Kind: "StorageClass"}: {
		{Path: "allowVolumeExpansion", since: 10, on: 11, gate: "ExpandPersistentVolumes", dropped: 14, Lax: true},
		{Path: "allowedTopologies", gate: "DynamicProvisioningScheduling"},
	},
	{Group: "storage.k8s.io", Kind: "CSINode"}: {
		{Path: "status", since: 37, on: 37},
		{Path: "status.storageHealth", since: 37, on: notYet, gate: "CSIVolumeHealth"},
	},
	{Group: "storage.k8s.io", Kind: "VolumeAttachment"}: {
		{Path: "spec.source.inlineVolumeSpec", since: 15, on: 17, gate: "CSIMigration"},
		{Path: "status.attachError.errorCode", gate: "MutableCSINodeAllocatableCount"},
		{Path: "status.detachError.errorCode", gate: "MutableCSINodeAllocatableCount"},
	},
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"}: {
		{Path: "endpoints[].hints", gate: "TopologyAwareHints"},
		{Path: "endpoints[].hints.forNodes", gate: "PreferSameTrafficDistribution"},
		{Path: "endpoints[].conditions.serving", gate: "EndpointSliceTerminatingCondition", beside: []string{"endpoints[].conditions.terminating"}},
		{Path: "endpoints[].conditions.terminating", gate: "EndpointSliceTerminatingCondition", beside: []string{"endpoints[].conditions.serving"}},
	},
	{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}: {{Path: "spec.signerName", since: 18}},
	{Group: "authorization.k8s.io", Kind: "SubjectAccessReview"}:      laterSelectors,
	{Group: "authorization.k8s.io", Kind: "SelfSubjectAccessReview"}:  laterSelectors,
	{Group: "authorization.k8s.io", Kind: "LocalSubjectAccessReview"}: laterSelectors,
	{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"}: append(laterWebhookFields(),
		Field{Path: "webhooks[].reinvocationPolicy", since: 15}),
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"}: laterWebhookFields(),
	{Group: "policy", Kind: "PodSecurityPolicy"}: {
		{Path: "spec.allowedUnsafeSysctls", since: 11},
		{Path: "spec.forbiddenSysctls", since: 11},
		{Path: "spec.allowedHostPaths[].readOnly", since: 11},
		{Path: "spec.allowedProcMountTypes", gate: "ProcMountType"},
		{Path: "spec.runAsGroup", since: 13},
		{Path: "spec.allowedCSIDrivers", gate: "CSIInlineVolume"},
		{Path: "spec.runtimeClass", since: 15},
	},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: {
		{Path: "spec.conversion", since: 13},
		{Path: "spec.versions[].selectableFields", gate: "CustomResourceFieldSelectors"},
	},
	{Group: "resource.k8s.io", Kind: "DeviceClass"}: {{Path: "spec.extendedResourceName", since: 34, on: 36, gate: "DRAExtendedResource"}},
	{Group: "resource.k8s.io", Kind: "ResourceClaim"}: append(laterClaimFields(),
		Field{Path: "status.allocation.devices.results[].skipNodeOperations", since: 37, on: notYet, gate: "DRAOptionalNodeOperations"}),
	{Group: "resource.k8s.io", Kind: "DeviceTaintRule"}: {{Path: "status", since: 35}},
	{Group: "resource.k8s.io", Kind: "ResourceSlice"}: append(laterInDevices(),
		Field{Path: "spec.sharedCounters", since: 33, on: 36, gate: "DRAPartitionableDevices"},
		Field{Path: "spec.perDeviceNodeSelection", since: 33, on: 36, gate: "DRAPartitionableDevices"},
		Field{Path: "spec.partitionTypeAttribute", since: 37, on: notYet, gate: "DRAPartitionableDevicesType"},
		Field{Path: "spec.skipNodeOperations", since: 37, on: notYet, gate: "DRAOptionalNodeOperations"}),
	{Group: "resource.k8s.io", Kind: "ResourceClaimTemplate"}: laterDeviceFields("spec.spec."),
	{Group: "coordination.k8s.io", Kind: "Lease"}: {
		{Path: "spec.strategy", since: 31, on: notYet, gate: "CoordinatedLeaderElection"},
		{Path: "spec.preferredHolder", since: 31, on: notYet, gate: "CoordinatedLeaderElection"},
	},
}

var laterSelectors = []Field{
	{Path: "spec.resourceAttributes.fieldSelector", since: 31, on: 32, gate: "AuthorizeWithSelectors"},
	{Path: "spec.resourceAttributes.labelSelector", since: 31, on: 32, gate: "AuthorizeWithSelectors"},
}

// laterWebhookFields returns the later fields of the webhooks in a configuration.
func laterWebhookFields() []Field {
	return []Field{
		{Path: "webhooks[].sideEffects", since: 12},
		{Path: "webhooks[].timeoutSeconds", since: 14},
		{Path: "webhooks[].admissionReviewVersions", since: 14},
		{Path: "webhooks[].rules[].scope", since: 14},
		{Path: "webhooks[].clientConfig.service.port", since: 15},
		{Path: "webhooks[].matchPolicy", since: 15},
		{Path: "webhooks[].objectSelector", since: 15},
		{Path: "webhooks[].matchConditions", since: 27, on: 28, gate: "AdmissionWebhookMatchConditions"},
	}
}

// groupFields returns the later fields of a pod group, or of a template of one, and more.
func groupFields(prefix string, more ...Field) []Field {
	return append([]Field{
		{Path: prefix + ".schedulingConstraints", since: 36, on: notYet, gate: "TopologyAwareWorkloadScheduling"},
		{Path: prefix + ".resourceClaims", since: 36, on: notYet, gate: "DRAWorkloadResourceClaims"},
		{Path: prefix + ".preemptionPolicy", since: 37, on: notYet, gate: "PodGroupPreemptionPolicy"},
		{Path: prefix + ".disruptionMode", since: 36, on: 37, gate: "WorkloadAwarePreemption"},
		{Path: prefix + ".priorityClassName", since: 36, on: 37, gate: "WorkloadAwarePreemption"},
		{Path: prefix + ".priority", since: 36, on: 37, gate: "WorkloadAwarePreemption"},
	}, more...)
}

// laterDeviceFields returns the later fields of a device claim, at their places in v1 and in v1beta1. In 1.31, adminAccess
// has no gate yet.
func laterDeviceFields(prefix string) []Field {
	rows := []Field{
		{Path: "constraints[].distinctAttribute", gate: "DRAConsumableCapacity", dropped: 35},
		{Path: "requests[].firstAvailable", gate: "DRAPrioritizedList"},
		{Path: "requests[].exactly.adminAccess", since: 31, on: 34, gate: "DRAAdminAccess", dropped: 32},
		{Path: "requests[].adminAccess", since: 31, on: 34, gate: "DRAAdminAccess", dropped: 32},
	}
	for _, request := range []string{"requests[].exactly", "requests[]", "requests[].firstAvailable[]"} {
		rows = append(rows, Field{Path: request + ".capacity", gate: "DRAConsumableCapacity"},
			Field{Path: request + ".tolerations", since: 33, on: 36, gate: "DRADeviceTaints", dropped: 35},
			Field{Path: request + ".derivedAttributes", since: 37, on: notYet, gate: "DRADerivedAttributes"})
	}
	for i := range rows {
		rows[i].Path = prefix + "devices." + rows[i].Path
	}
	return rows
}

// laterClaimFields returns the later fields of the spec of a claim.
func laterClaimFields() []Field {
	rows := laterDeviceFields("spec.")
	for i := range rows {
		switch rows[i].gate {
		case "DRAAdminAccess":
			rows[i].inStatus = []string{"status.allocation.devices.results[].adminAccess"}
		case "DRAConsumableCapacity":
			rows[i].inStatus = []string{"status.allocation.devices.results[].shareID",
				"status.allocation.devices.results[].consumedCapacity", "status.devices[].shareID"}
		}
	}
	return rows
}

// laterInDevices returns the later fields of the devices in a ResourceSlice, at their places in v1 and in v1beta1.
func laterInDevices() []Field {
	var all []Field
	for _, device := range []string{"spec.devices[]", "spec.devices[].basic"} {
		rows := []Field{
			{Path: "consumesCounters", since: 33, on: 36, gate: "DRAPartitionableDevices"},
			{Path: "nodeName", since: 33, on: 36, gate: "DRAPartitionableDevices"},
			{Path: "nodeSelector", since: 33, on: 36, gate: "DRAPartitionableDevices"},
			{Path: "allNodes", since: 33, on: 36, gate: "DRAPartitionableDevices"},
			{Path: "taints", since: 33, on: 36, gate: "DRADeviceTaints"},
			{Path: "bindsToNode", since: 34, on: 36, gate: "DRADeviceBindingConditions"},
			{Path: "bindingConditions", since: 34, on: 36, gate: "DRADeviceBindingConditions"},
			{Path: "bindingFailureConditions", since: 34, on: 36, gate: "DRADeviceBindingConditions"},
			{Path: "consumesCounters[].compatibilityGroups", since: 37, on: notYet, gate: "DRADeviceCompatibilityGroups"},
			{Path: "nodeAllocatableResources", since: 36, on: notYet, gate: "DRANodeAllocatableResources"},
		}
		for _, f := range rows {
			f.Path = device + "." + f.Path
			all = append(all, f)
		}
	}
	return all
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

var laterPodFields = []Field{
	{Path: "priority", gate: "PodPriority"},
	{Path: "priorityClassName", gate: "PodPriority"},
	{Path: "preemptionPolicy", gate: "NonPreemptingPriority"},
	{Path: "shareProcessNamespace", gate: "PodShareProcessNamespace"},
	{Path: "readinessGates", gate: "PodReadinessGates"},
	{Path: "runtimeClassName", gate: "RuntimeClass"},
	{Path: "enableServiceLinks", since: 13},
	// It was never of any use: kubernetes/kubernetes:pkg/api/pod/util.go, dropDisabledDynamicResourceAllocationFields.
	{Path: "volumes[].ephemeral.volumeClaimTemplate." + former("spec.resources.claims"), since: 26, on: notYet},
	{Path: "overhead", gate: "PodOverhead"},
	{Path: "resources", since: 32, on: 34, gate: "PodLevelResources"},
	{Path: "topologySpreadConstraints", gate: "EvenPodsSpread"},
	{Path: "setHostnameAsFQDN", gate: "SetHostnameAsFQDN"},
	{Path: "os", gate: "IdentifyPodOS"},
	{Path: "hostUsers", since: 25, on: 33},
	{Path: "schedulingGates", gate: "PodSchedulingReadiness"},
	{Path: "resourceClaims", since: 26, on: 34, gate: "DynamicResourceAllocation"},
	{Path: "hostnameOverride", gate: "HostnameOverride"},
	{Path: "securityContext.runAsGroup", gate: "RunAsGroup"},
	{Path: "securityContext.sysctls", since: 11, gate: "Sysctls"},
	{Path: "securityContext.windowsOptions", since: 15},
	{Path: "securityContext.windowsOptions.gmsaCredentialSpec", since: 15, on: 16, gate: "WindowsGMSA"},
	{Path: "securityContext.windowsOptions.gmsaCredentialSpecName", since: 15, on: 16, gate: "WindowsGMSA"},
	{Path: "securityContext.windowsOptions.runAsUserName", gate: "WindowsRunAsUserName"},
	{Path: "securityContext.fsGroupChangePolicy", gate: "ConfigurableFSGroupPolicy"},
	{Path: "securityContext.supplementalGroupsPolicy", gate: "SupplementalGroupsPolicy"},
	{Path: "securityContext.seLinuxChangePolicy", since: 32, on: 33},
	{Path: "topologySpreadConstraints[].minDomains", gate: "MinDomainsInPodTopologySpread"},
	{Path: "topologySpreadConstraints[].nodeAffinityPolicy", gate: "NodeInclusionPolicyInPodTopologySpread"},
	{Path: "topologySpreadConstraints[].nodeTaintsPolicy", gate: "NodeInclusionPolicyInPodTopologySpread"},
	{Path: "topologySpreadConstraints[].matchLabelKeys", since: 25, on: 27},
	{Path: "evictionResponders", since: 37, on: notYet, gate: "EvictionRequestAPI"},
	{Path: "volumes[].emptyDir.mode", since: 37, on: notYet, gate: "EmptyDirVolumeMode"},
	{Path: "volumes[].csi", gate: "CSIInlineVolume"},
	{Path: "volumes[].projected.sources[].serviceAccountToken", gate: "TokenRequestProjection"},
	{Path: "volumes[].ephemeral", gate: "GenericEphemeralVolume"},
	{Path: "volumes[].image.pullPolicy", gate: "ImageVolume"},
}

// laterAffinityFields returns the later fields of each pod affinity term.
func laterAffinityFields() (rows []Field) {
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		for _, term := range []string{"requiredDuringSchedulingIgnoredDuringExecution[]", "preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm"} {
			for _, keys := range []string{"matchLabelKeys", "mismatchLabelKeys"} {
				rows = append(rows, Field{Path: "affinity." + kind + "." + term + "." + keys, gate: "MatchLabelKeysInPodAffinity"})
			}
			rows = append(rows, Field{Path: "affinity." + kind + "." + term + ".namespaceSelector", gate: "PodAffinityNamespaceSelector"})
		}
	}
	return rows
}

// otherHook maps fields of one lifecycle hook to the same field of the other, which an update may set if the old object has
// the one: kubernetes/kubernetes@v1.29.14:pkg/api/pod/util.go, podLifecycleSleepActionInUse.
var otherHook = map[string]string{
	"lifecycle.preStop.sleep":   "lifecycle.postStart.sleep",
	"lifecycle.postStart.sleep": "lifecycle.preStop.sleep",
}

var laterContainerFields = []Field{
	{Path: "volumeDevices", gate: "BlockVolume"},
	{Path: "volumeMounts[].subPathExpr", since: 14, on: 15, gate: "VolumeSubpathEnvExpansion"},
	{Path: "securityContext.runAsGroup", gate: "RunAsGroup"},
	{Path: "securityContext.procMount", since: 12},
	{Path: "securityContext.windowsOptions", since: 15},
	{Path: "securityContext.windowsOptions.gmsaCredentialSpec", since: 15, on: 16, gate: "WindowsGMSA"},
	{Path: "securityContext.windowsOptions.gmsaCredentialSpecName", since: 15, on: 16, gate: "WindowsGMSA"},
	{Path: "securityContext.windowsOptions.runAsUserName", gate: "WindowsRunAsUserName"},
	{Path: "startupProbe", gate: "StartupProbe"},
	{Path: "resources.claims", since: 26, on: 34, gate: "DynamicResourceAllocation"},
	{Path: "env[].valueFrom.fileKeyRef", gate: "EnvFiles"},
	{Path: "livenessProbe.grpc", gate: "GRPCContainerProbe"},
	{Path: "readinessProbe.grpc", gate: "GRPCContainerProbe"},
	{Path: "startupProbe.grpc", gate: "GRPCContainerProbe"},
	{Path: "livenessProbe.terminationGracePeriodSeconds", gate: "ProbeTerminationGracePeriod"},
	{Path: "startupProbe.terminationGracePeriodSeconds", gate: "ProbeTerminationGracePeriod"},
	{Path: "lifecycle.preStop.sleep", gate: "PodLifecycleSleepAction"},
	{Path: "lifecycle.postStart.sleep", gate: "PodLifecycleSleepAction"},
	{Path: "volumeMounts[].recursiveReadOnly", gate: "RecursiveReadOnlyMounts"},
	{Path: "volumeMounts[].bindMountOptions", since: 37, on: notYet, gate: "VolumeBindMountOptions"},
	{Path: "livenessProbe.grpc.mode", since: 37, on: notYet, gate: "GRPCContainerProbeTLS"},
	{Path: "readinessProbe.grpc.mode", since: 37, on: notYet, gate: "GRPCContainerProbeTLS"},
	{Path: "startupProbe.grpc.mode", since: 37, on: notYet, gate: "GRPCContainerProbeTLS"},
	{Path: "livenessProbe.httpGet.protocol", since: 37, on: notYet, gate: "H2CContainerProbe"},
	{Path: "readinessProbe.httpGet.protocol", since: 37, on: notYet, gate: "H2CContainerProbe"},
	{Path: "startupProbe.httpGet.protocol", since: 37, on: notYet, gate: "H2CContainerProbe"},
	{Path: "lifecycle.postStart.httpGet.protocol", since: 37, on: notYet, gate: "H2CContainerProbe"},
	{Path: "lifecycle.preStop.httpGet.protocol", since: 37, on: notYet, gate: "H2CContainerProbe"},
}
