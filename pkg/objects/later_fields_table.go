package objects

import "k8s.io/apimachinery/pkg/runtime/schema"

// A laterRow is a field and the minor versions from which servers know it, and have it on.
type laterRow struct {
	path      string
	known, on int
}

// laterFieldTable lists, by the group and kind of the hub, fields that webhooks and plugins look
// at, or whose defaults would show. The numbers are those of the feature gates
// (kubernetes/kubernetes:pkg/features/kube_features.go); on is left out where the field came
// without one, or on.
var laterFieldTable = map[schema.GroupKind][]laterRow{
	{Kind: "Pod"}: {
		{"spec.resources", 32, 0},
		{"status.podIPs", 16, 0},
		{"status.hostIPs", 28, 29},
	},
	{Kind: "Namespace"}: {
		// Anybody could set the label before.
		{"metadata.labels[kubernetes.io/metadata.name]", 0, 21},
	},
	{Kind: "Service"}: {
		{"spec.internalTrafficPolicy", 21, 22},
		{"spec.clusterIPs", 20, 0},
		{"spec.ipFamilies", 20, 0},
		{"spec.ipFamilyPolicy", 20, 0},
		{"spec.allocateLoadBalancerNodePorts", 20, 22},
		{"spec.loadBalancerClass", 21, 22},
		{"spec.trafficDistribution", 30, 31},
		{"spec.ports[].appProtocol", 18, 19},
		{"status.conditions", 20, 0},
		{"status.loadBalancer.ingress[].ipMode", 29, 30},
	},
	{Kind: "PersistentVolumeClaim"}: {
		{"spec.dataSourceRef", 22, 24},
		{"spec.volumeAttributesClassName", 29, 34},
	},
	{Kind: "PersistentVolume"}: {
		{"spec.volumeAttributesClassName", 29, 34},
		{"status.lastPhaseTransitionTime", 28, 29},
	},
	{Kind: "ConfigMap"}: {{"immutable", 18, 19}},
	{Kind: "Secret"}:    {{"immutable", 18, 19}},
	{Group: "apps", Kind: "DaemonSet"}: {
		{"spec.updateStrategy.rollingUpdate.maxSurge", 21, 22},
	},
	{Group: "apps", Kind: "StatefulSet"}: {
		{"spec.persistentVolumeClaimRetentionPolicy", 23, 27},
		{"spec.minReadySeconds", 22, 23},
		{"spec.ordinals", 26, 27},
		{"spec.updateStrategy.rollingUpdate.maxUnavailable", 24, 0},
	},
	{Group: "batch", Kind: "Job"}:     laterJobFields("spec."),
	{Group: "batch", Kind: "CronJob"}: append(laterJobFields("spec.jobTemplate.spec."), laterRow{"spec.timeZone", 24, 25}),
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}: {
		{"spec.behavior", 18, 0},
		{"spec.metrics[].containerResource", 20, 27},
	},
	{Group: "networking.k8s.io", Kind: "Ingress"}: {
		{"spec.ingressClassName", 18, 0},
		{"spec.rules[].http.paths[].pathType", 18, 0},
	},
	{Group: "networking.k8s.io", Kind: "IngressClass"}: {
		{"spec.parameters.scope", 21, 22},
		{"spec.parameters.namespace", 21, 22},
	},
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}: {
		{"spec.ingress[].ports[].endPort", 21, 22},
		{"spec.egress[].ports[].endPort", 21, 22},
	},
	{Group: "policy", Kind: "PodDisruptionBudget"}: {
		{"spec.unhealthyPodEvictionPolicy", 26, 27},
	},
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}: {
		{"preemptionPolicy", 15, 19},
	},
	{Group: "node.k8s.io", Kind: "RuntimeClass"}: {
		{"overhead", 16, 18},
		{"scheduling", 16, 0},
	},
	{Group: "storage.k8s.io", Kind: "CSIDriver"}: {
		{"spec.volumeLifecycleModes", 15, 16},
		{"spec.fsGroupPolicy", 19, 20},
		{"spec.storageCapacity", 19, 21},
		{"spec.tokenRequests", 20, 21},
		{"spec.requiresRepublish", 20, 21},
		{"spec.seLinuxMount", 25, 27},
	},
}

func laterJobFields(prefix string) []laterRow {
	rows := []laterRow{
		{"completionMode", 21, 22},
		{"suspend", 21, 22},
		{"podFailurePolicy", 25, 26},
		{"podReplacementPolicy", 28, 29},
		{"backoffLimitPerIndex", 28, 29},
		{"maxFailedIndexes", 28, 29},
		{"managedBy", 30, 32},
		{"successPolicy", 30, 31},
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
	{"preemptionPolicy", 15, 19},
	{"overhead", 16, 18},
	{"topologySpreadConstraints", 16, 18},
	{"ephemeralContainers", 16, 0},
	{"setHostnameAsFQDN", 19, 20},
	{"os", 23, 24},
	{"hostUsers", 25, 33},
	{"schedulingGates", 26, 27},
	{"resourceClaims", 26, 0},
	{"securityContext.fsGroupChangePolicy", 18, 20},
	{"securityContext.seccompProfile", 19, 0},
	{"securityContext.appArmorProfile", 30, 0},
	{"securityContext.supplementalGroupsPolicy", 31, 33},
	{"securityContext.seLinuxChangePolicy", 32, 33},
	{"topologySpreadConstraints[].minDomains", 24, 25},
	{"topologySpreadConstraints[].nodeAffinityPolicy", 25, 26},
	{"topologySpreadConstraints[].nodeTaintsPolicy", 25, 26},
	{"topologySpreadConstraints[].matchLabelKeys", 25, 27},
	{"volumes[].ephemeral", 19, 21},
	{"volumes[].image", 31, 0},
}

var laterContainerFields = []laterRow{
	{"startupProbe", 16, 18},
	{"restartPolicy", 28, 29},
	{"resizePolicy", 27, 0},
	{"securityContext.seccompProfile", 19, 0},
	{"securityContext.appArmorProfile", 30, 0},
	{"securityContext.windowsOptions.hostProcess", 22, 23},
	{"livenessProbe.grpc", 23, 24},
	{"readinessProbe.grpc", 23, 24},
	{"startupProbe.grpc", 23, 24},
	{"livenessProbe.terminationGracePeriodSeconds", 21, 22},
	{"startupProbe.terminationGracePeriodSeconds", 21, 22},
	{"lifecycle.preStop.sleep", 29, 30},
	{"volumeMounts[].recursiveReadOnly", 30, 31},
}
