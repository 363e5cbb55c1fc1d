package objects

import (
	authenticationv1 "k8s.io/api/authentication/v1"
)

var tokenRequest = rules[*authenticationv1.TokenRequest]{
	defaults: func(t *authenticationv1.TokenRequest) { setDefault(&t.Spec.ExpirationSeconds, 3600) },
}
