// Package reviews has the rules of objects that the server answers but does not store: token requests and access
// reviews. It follows kubernetes/kubernetes:pkg/apis/authentication and pkg/apis/authorization.
package reviews

import (
	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of both groups.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(authenticationv1.SchemeGroupVersion, "TokenRequest", tokenRequest),
		},
		Versions: accessReviewVersions(),
	}
}
