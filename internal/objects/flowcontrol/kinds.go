// Package flowcontrol has the rules of FlowSchema and PriorityLevelConfiguration. It follows
// kubernetes/kubernetes:pkg/apis/flowcontrol and the strategies of pkg/registry.
package flowcontrol

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(flowcontrolv1.SchemeGroupVersion, "FlowSchema", flowSchema),
			rules.Hub(flowcontrolv1.SchemeGroupVersion, "PriorityLevelConfiguration", priorityLevelConfiguration),
		},
		Versions: priorityLevelVersions(),
	}
}
