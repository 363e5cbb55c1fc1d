// Package rbac has the rules of roles and their bindings. It follows
// kubernetes/kubernetes:pkg/apis/rbac and the strategies of pkg/registry.
package rbac

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(rbacv1.SchemeGroupVersion, "ClusterRole", clusterRole),
			rules.Hub(rbacv1.SchemeGroupVersion, "ClusterRoleBinding", clusterRoleBinding),
			rules.Hub(rbacv1.SchemeGroupVersion, "Role", role),
			rules.Hub(rbacv1.SchemeGroupVersion, "RoleBinding", roleBinding),
		},
		Versions: roleBindingVersions(),
	}
}
