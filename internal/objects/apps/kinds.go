// Package apps has the rules of workloads, including ReplicationController of the core group. It follows
// kubernetes/kubernetes:pkg/apis/apps and the strategies of pkg/registry.
package apps

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(appsv1.SchemeGroupVersion, "ControllerRevision", controllerRevision),
			rules.Hub(appsv1.SchemeGroupVersion, "DaemonSet", daemonSet),
			rules.Hub(appsv1.SchemeGroupVersion, "Deployment", deployment),
			rules.Hub(appsv1.SchemeGroupVersion, "ReplicaSet", replicaSet),
			rules.Hub(corev1.SchemeGroupVersion, "ReplicationController", replicationController),
			rules.Hub(appsv1.SchemeGroupVersion, "StatefulSet", statefulSet),
		},
		Versions: workloadVersions(),
	}
}
