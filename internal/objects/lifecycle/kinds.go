// Package lifecycle has the rules of evictions and requests for them. It follows
// kubernetes/kubernetes:pkg/apis/lifecycle and the strategies of pkg/registry.
package lifecycle

import (
	lifecyclev1alpha1 "k8s.io/api/lifecycle/v1alpha1"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds are those of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(lifecyclev1alpha1.SchemeGroupVersion, "Eviction", eviction),
			rules.Hub(lifecyclev1alpha1.SchemeGroupVersion, "EvictionRequest", evictionRequest),
		},
	}
}
