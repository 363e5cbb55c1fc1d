package objects

import (
	rbacv1 "k8s.io/api/rbac/v1"
)

// rbacGroup is what the server has of the group.
func rbacGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(rbacv1.SchemeGroupVersion, "ClusterRole", clusterRole),
			hub(rbacv1.SchemeGroupVersion, "ClusterRoleBinding", clusterRoleBinding),
			hub(rbacv1.SchemeGroupVersion, "Role", role),
			hub(rbacv1.SchemeGroupVersion, "RoleBinding", roleBinding),
		},
		Versions: roleBindingVersions(),
	}
}
