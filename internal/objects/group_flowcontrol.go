package objects

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

// flowcontrolKinds are those of the group.
func flowcontrolKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(flowcontrolv1.SchemeGroupVersion, "FlowSchema", flowSchema),
			hub(flowcontrolv1.SchemeGroupVersion, "PriorityLevelConfiguration", priorityLevelConfiguration),
		},
		Versions: priorityLevelVersions(),
	}
}
