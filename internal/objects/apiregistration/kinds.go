// Package apiregistration has the rules of APIService of kube-aggregator. It follows
// kubernetes/kube-aggregator:pkg/apis/apiregistration.
package apiregistration

import (
	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(builtin.APIRegistrationV1, "APIService", apiService),
		},
	}
}
