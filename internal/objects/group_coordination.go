package objects

import (
	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/admsim/admsim/internal/removed"
)

// coordinationKinds are those of the group.
func coordinationKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(coordinationv1.SchemeGroupVersion, "Lease", lease),
			hub(removed.CoordinationV1alpha1, "LeaseCandidate", leaseCandidateV1alpha1),
		},
	}
}
