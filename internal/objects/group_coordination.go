package objects

import (
	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/admsim/admsim/internal/removed"
)

// coordinationGroup is what the server has of the group.
func coordinationGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(coordinationv1.SchemeGroupVersion, "Lease", lease),
			hub(removed.CoordinationV1alpha1, "LeaseCandidate", leaseCandidateV1alpha1),
		},
	}
}
