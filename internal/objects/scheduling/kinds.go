// Package scheduling has the rules of PriorityClass and Workload. It follows
// kubernetes/kubernetes:pkg/apis/scheduling and the strategies of pkg/registry.
package scheduling

import (
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(schedulingv1.SchemeGroupVersion, "PriorityClass", priorityClass),
			rules.Hub(schedulingv1beta1.SchemeGroupVersion, "PodGroup", podGroup),
			rules.Hub(schedulingv1beta1.SchemeGroupVersion, "Workload", workload),
			rules.Hub(schedulingv1alpha3.SchemeGroupVersion, "CompositePodGroup", compositePodGroup),
			rules.Hub(builtin.SchedulingV1alpha1, "Workload", workloadV1alpha1),
			rules.Hub(builtin.SchedulingV1alpha2, "PodGroup", podGroupV1alpha2),
			rules.Hub(builtin.SchedulingV1alpha2, "Workload", workloadV1alpha2),
		},
	}
}
