package objects

import (
	rbacv1 "k8s.io/api/rbac/v1"
)

// rbacKinds are those of the group.
func rbacKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(rbacv1.SchemeGroupVersion, "ClusterRole", clusterRole),
			hub(rbacv1.SchemeGroupVersion, "ClusterRoleBinding", clusterRoleBinding),
			hub(rbacv1.SchemeGroupVersion, "Role", role),
			hub(rbacv1.SchemeGroupVersion, "RoleBinding", roleBinding),
		},
		Versions: roleBindingVersions(),
	}
}
