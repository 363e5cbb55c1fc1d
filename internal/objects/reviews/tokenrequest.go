// kubernetes/kubernetes:pkg/apis/authentication/v1/defaults.go

package reviews

import (
	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/objects/rules"
)

var tokenRequest = rules.Of[*authenticationv1.TokenRequest]{
	Defaults: func(t *authenticationv1.TokenRequest) { rules.SetDefault(&t.Spec.ExpirationSeconds, 3600) },
}
