package admission

import authenticationv1 "k8s.io/api/authentication/v1"

// Users that every cluster has, in the groups that the server puts them in.

const authenticated = "system:authenticated"

// Administrator is who made the cluster, and may do everything.
func Administrator() authenticationv1.UserInfo {
	return authenticationv1.UserInfo{Username: "kubernetes-admin", Groups: []string{"system:masters", authenticated}}
}

// Kubelet is the kubelet of a node.
func Kubelet(node string) authenticationv1.UserInfo {
	return authenticationv1.UserInfo{Username: "system:node:" + node, Groups: []string{"system:nodes", authenticated}}
}

// Scheduler is kube-scheduler.
func Scheduler() authenticationv1.UserInfo {
	return authenticationv1.UserInfo{Username: "system:kube-scheduler", Groups: []string{authenticated}}
}

// Controller is a controller of kube-controller-manager, such as replicaset-controller.
func Controller(name string) authenticationv1.UserInfo {
	return authenticationv1.UserInfo{
		Username: "system:serviceaccount:kube-system:" + name,
		Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", authenticated},
	}
}
