package objects

import (
	corev1 "k8s.io/api/core/v1"
)

// coreKinds are those of the group, with pods, and with slices, the endpoints of another group.
func coreKinds() Kinds {
	return joinKinds(podKinds(), discoveryKinds(), Kinds{
		Hubs: []*entry{
			hub(corev1.SchemeGroupVersion, "ConfigMap", configMap),
			hub(corev1.SchemeGroupVersion, "Endpoints", endpoints),
			hub(corev1.SchemeGroupVersion, "Event", event),
			hub(corev1.SchemeGroupVersion, "LimitRange", limitRange),
			hub(corev1.SchemeGroupVersion, "Namespace", namespace),
			hub(corev1.SchemeGroupVersion, "Node", node),
			hub(corev1.SchemeGroupVersion, "PersistentVolume", persistentVolume),
			hub(corev1.SchemeGroupVersion, "PersistentVolumeClaim", persistentVolumeClaim),
			hub(corev1.SchemeGroupVersion, "ResourceQuota", resourceQuota),
			hub(corev1.SchemeGroupVersion, "Secret", secret),
			hub(corev1.SchemeGroupVersion, "Service", service),
			hub(corev1.SchemeGroupVersion, "ServiceAccount", serviceAccount),
		},
		Versions: eventVersions(),
	})
}
