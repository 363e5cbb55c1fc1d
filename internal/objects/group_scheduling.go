package objects

import (
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/admsim/admsim/internal/removed"
)

// schedulingGroup is what the server has of the group.
func schedulingGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(schedulingv1.SchemeGroupVersion, "PriorityClass", priorityClass),
			hub(removed.SchedulingV1alpha1, "Workload", workloadV1alpha1),
		},
	}
}
