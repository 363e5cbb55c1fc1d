package objects

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

// flowcontrolGroup is what the server has of the group.
func flowcontrolGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(flowcontrolv1.SchemeGroupVersion, "FlowSchema", flowSchema),
			hub(flowcontrolv1.SchemeGroupVersion, "PriorityLevelConfiguration", priorityLevelConfiguration),
		},
		Versions: priorityLevelVersions(),
	}
}
