package dependency

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
)

// AccountBehind returns the name of the service account that the pods behind a Service run as. It is "default", as for
// every pod without one, if the cluster does not show another.
func AccountBehind(s *cluster.State, namespace, service string) string {
	behind, _ := cluster.Get[*corev1.Service](s, schema.GroupKind{Kind: "Service"}, namespace, service)
	for _, w := range selected(behind, workloadsOf(s)) {
		if name := cmp.Or(w.Pod.Spec.ServiceAccountName, w.Pod.Spec.DeprecatedServiceAccount); name != "" {
			return name
		}
	}
	return "default"
}
