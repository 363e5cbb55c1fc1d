// Package node has the rules of RuntimeClass. It follows kubernetes/kubernetes:pkg/apis/node and
// the strategies of pkg/registry.
package node

import (
	nodev1 "k8s.io/api/node/v1"
	nodev1alpha1 "k8s.io/api/node/v1alpha1"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(nodev1.SchemeGroupVersion, "RuntimeClass", runtimeClass),
		},
		Versions: []*rules.Version{
			rules.Moved(nodev1alpha1.SchemeGroupVersion, nodev1.SchemeGroupVersion, "RuntimeClass", runtimeClassFromSpec, runtimeClassToSpec),
		},
	}
}
