package objects

import (
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/admsim/admsim/internal/removed"
)

// schedulingKinds are those of the group.
func schedulingKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(schedulingv1.SchemeGroupVersion, "PriorityClass", priorityClass),
			hub(removed.SchedulingV1alpha1, "Workload", workloadV1alpha1),
		},
	}
}
