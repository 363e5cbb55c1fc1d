package plugins

import (
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/pkg/admission"
)

// question begins a question of whether the sender of the request may do something.
func question(req admission.Request, verb string) authorizer.AttributesRecord {
	return authorizer.AttributesRecord{User: userOf(req.User), Verb: verb, ResourceRequest: true}
}

// userOf is a user as authorizers know them.
func userOf(u authenticationv1.UserInfo) user.Info {
	extra := map[string][]string{}
	for key, values := range u.Extra {
		extra[key] = values
	}
	return &user.DefaultInfo{Name: u.Username, UID: u.UID, Groups: u.Groups, Extra: extra}
}
