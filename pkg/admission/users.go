package admission

import (
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apiserver/pkg/authentication/user"
)

// The users that every cluster has, with the groups that the server puts them into.

const authenticated = "system:authenticated"

// Administrator returns the user that created the cluster, who may do everything.
func Administrator() authenticationv1.UserInfo {
	return authenticationv1.UserInfo{Username: "kubernetes-admin", Groups: []string{"system:masters", authenticated}}
}

// APIServer returns the user of the API server itself, which also sends requests to itself:
// kubernetes/apiserver:pkg/server/config.go, AuthorizeClientBearerToken.
func APIServer() authenticationv1.UserInfo {
	return authenticationv1.UserInfo{Username: user.APIServerUser, Groups: []string{authenticated, user.SystemPrivilegedGroup}}
}

// Kubelet returns the user of the kubelet of a node.
func Kubelet(node string) authenticationv1.UserInfo {
	return authenticationv1.UserInfo{Username: "system:node:" + node, Groups: []string{"system:nodes", authenticated}}
}

// Scheduler returns the user of kube-scheduler.
func Scheduler() authenticationv1.UserInfo {
	return authenticationv1.UserInfo{Username: "system:kube-scheduler", Groups: []string{authenticated}}
}

// Controller returns the user of a controller of kube-controller-manager, such as replicaset-controller.
func Controller(name string) authenticationv1.UserInfo {
	return authenticationv1.UserInfo{
		Username: "system:serviceaccount:kube-system:" + name,
		Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", authenticated},
	}
}

// Asker returns the user of the request in the form that authorizers need.
func (r Request) Asker() user.Info {
	return Subject(r.User.Username, r.User.UID, r.User.Groups, r.User.Extra)
}

// Subject returns a user in the form that authorizers need.
func Subject[V ~[]string](name, uid string, groups []string, extra map[string]V) user.Info {
	u := &user.DefaultInfo{Name: name, UID: uid, Groups: groups}
	if len(extra) > 0 {
		u.Extra = make(map[string][]string, len(extra))
		for key, values := range extra {
			u.Extra[key] = values
		}
	}
	return u
}
