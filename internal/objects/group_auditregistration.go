package objects

import (
	"github.com/admsim/admsim/internal/removed"
)

// auditregistrationKinds are those of the group.
func auditregistrationKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(removed.AuditRegistrationV1alpha1, "AuditSink", auditSink),
		},
	}
}
