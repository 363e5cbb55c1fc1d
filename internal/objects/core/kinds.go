// Package core has the rules of the core group, except those that pods share with pod templates (package pod) and those
// of ReplicationController (package apps, with the other workloads). It follows kubernetes/kubernetes:pkg/apis/core and the
// strategies of pkg/registry.
package core

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/discovery"
	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group, EndpointSlices, the endpoints of another group, and PodPresets.
func Kinds() rules.Kinds {
	return rules.Join(pod.Kinds(), discovery.Kinds(), rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(corev1.SchemeGroupVersion, "ConfigMap", configMap),
			rules.Hub(corev1.SchemeGroupVersion, "Endpoints", endpoints),
			rules.Hub(builtin.Core, "EphemeralContainers", ephemeralContainers),
			rules.Hub(corev1.SchemeGroupVersion, "Event", event),
			rules.Hub(corev1.SchemeGroupVersion, "LimitRange", limitRange),
			rules.Hub(corev1.SchemeGroupVersion, "Namespace", namespace),
			rules.Hub(corev1.SchemeGroupVersion, "Node", node),
			rules.Hub(corev1.SchemeGroupVersion, "PersistentVolume", persistentVolume),
			rules.Hub(corev1.SchemeGroupVersion, "PersistentVolumeClaim", persistentVolumeClaim),
			rules.Hub(corev1.SchemeGroupVersion, "Pod", pods),
			rules.Hub(corev1.SchemeGroupVersion, "PodTemplate", podTemplate),
			rules.Hub(corev1.SchemeGroupVersion, "ResourceQuota", resourceQuota),
			rules.Hub(corev1.SchemeGroupVersion, "Secret", secret),
			rules.Hub(corev1.SchemeGroupVersion, "Service", service),
			rules.Hub(corev1.SchemeGroupVersion, "ServiceAccount", serviceAccount),
		},
		Versions: eventVersions(),
	})
}
