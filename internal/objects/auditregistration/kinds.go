// Package auditregistration has the rules of AuditSink, up to 1.18. It follows
// kubernetes/kubernetes:pkg/apis/auditregistration and the strategies of pkg/registry.
package auditregistration

import (
	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds are those of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(builtin.AuditRegistrationV1alpha1, "AuditSink", auditSink),
		},
	}
}
