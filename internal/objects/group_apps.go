package objects

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// appsKinds are those of the group.
func appsKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(appsv1.SchemeGroupVersion, "ControllerRevision", controllerRevision),
			hub(appsv1.SchemeGroupVersion, "DaemonSet", daemonSet),
			hub(appsv1.SchemeGroupVersion, "Deployment", deployment),
			hub(appsv1.SchemeGroupVersion, "ReplicaSet", replicaSet),
			hub(corev1.SchemeGroupVersion, "ReplicationController", replicationController),
			hub(appsv1.SchemeGroupVersion, "StatefulSet", statefulSet),
		},
		Versions: workloadVersions(),
	}
}
