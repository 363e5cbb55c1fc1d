// Package authentication has the rules of TokenRequest. It follows
// kubernetes/kubernetes:pkg/apis/authentication and the strategies of pkg/registry.
package authentication

import (
	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds are those of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(authenticationv1.SchemeGroupVersion, "TokenRequest", tokenRequest),
		},
	}
}
