// Package authorization has the rules of the access reviews. It follows
// kubernetes/kubernetes:pkg/apis/authorization and the strategies of pkg/registry.
package authorization

import (
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds are those of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Versions: accessReviewVersions(),
	}
}
