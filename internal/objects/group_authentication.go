package objects

import (
	authenticationv1 "k8s.io/api/authentication/v1"
)

// authenticationGroup is what the server has of the group.
func authenticationGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(authenticationv1.SchemeGroupVersion, "TokenRequest", tokenRequest),
		},
	}
}
