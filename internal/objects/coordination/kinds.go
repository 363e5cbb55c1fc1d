// Package coordination has the rules of Lease and LeaseCandidate. It follows
// kubernetes/kubernetes:pkg/apis/coordination and the strategies of pkg/registry.
package coordination

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(coordinationv1.SchemeGroupVersion, "Lease", lease),
			rules.Hub(coordinationv1beta1.SchemeGroupVersion, "LeaseCandidate", leaseCandidate),
			rules.Hub(builtin.CoordinationV1alpha1, "LeaseCandidate", leaseCandidateV1alpha1),
		},
	}
}
