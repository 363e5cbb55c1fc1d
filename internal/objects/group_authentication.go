package objects

import (
	authenticationv1 "k8s.io/api/authentication/v1"
)

// authenticationKinds are those of the group.
func authenticationKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(authenticationv1.SchemeGroupVersion, "TokenRequest", tokenRequest),
		},
	}
}
