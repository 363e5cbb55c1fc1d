package objects

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// appsGroup is what the server has of the group.
func appsGroup() Group {
	return Group{
		Kinds: []*entry{
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
