package objects

import (
	"github.com/admsim/admsim/internal/removed"
)

// auditregistrationGroup is what the server has of the group.
func auditregistrationGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(removed.AuditRegistrationV1alpha1, "AuditSink", auditSink),
		},
	}
}
