// kubernetes/kubernetes:pkg/registry/rbac/role/strategy.go
// kubernetes/kubernetes:pkg/registry/rbac/clusterrole/strategy.go
// kubernetes/kubernetes:pkg/registry/rbac/rolebinding/strategy.go
// kubernetes/kubernetes:pkg/registry/rbac/clusterrolebinding/strategy.go

package rbac

import (
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var role = rules.Of[*rbacv1.Role]{
	CheckedOnce: kubeversion.RolesCheckedOnce,
	Name:        rules.PathSegment,
	Validate:    func(o *rbacv1.Role, _ rules.Request) field.ErrorList { return validateRules(o.Rules, true) },
	Behaviour:   rules.Behaviour{CreateOnUpdate: true},
}

var clusterRole = rules.Of[*rbacv1.ClusterRole]{
	CheckedOnce: kubeversion.RolesCheckedOnce,
	Name:        rules.PathSegment,
	Validate:    validateClusterRole,
	Behaviour:   rules.Behaviour{CreateOnUpdate: true},
}

var roleBinding = rules.Of[*rbacv1.RoleBinding]{
	TakenOver:   true,
	CheckedOnce: kubeversion.RolesCheckedOnce,
	Name:        rules.PathSegment,
	Defaults:    func(b *rbacv1.RoleBinding) { defaultBinding(&b.RoleRef, b.Subjects) },
	Validate: func(b *rbacv1.RoleBinding, _ rules.Request) field.ErrorList {
		return validateBinding(b.RoleRef, b.Subjects, true, "Role", "ClusterRole")
	},
	ValidateUpdate: func(b, old *rbacv1.RoleBinding, r rules.Request) field.ErrorList {
		return sameRole(b.RoleRef, old.RoleRef, r)
	},
	Behaviour: rules.Behaviour{CreateOnUpdate: true},
}

var clusterRoleBinding = rules.Of[*rbacv1.ClusterRoleBinding]{
	CheckedOnce: kubeversion.RolesCheckedOnce,
	Name:        rules.PathSegment,
	Defaults:    func(b *rbacv1.ClusterRoleBinding) { defaultBinding(&b.RoleRef, b.Subjects) },
	Validate: func(b *rbacv1.ClusterRoleBinding, _ rules.Request) field.ErrorList {
		return validateBinding(b.RoleRef, b.Subjects, false, "ClusterRole")
	},
	ValidateUpdate: func(b, old *rbacv1.ClusterRoleBinding, r rules.Request) field.ErrorList {
		return sameRole(b.RoleRef, old.RoleRef, r)
	},
	Behaviour: rules.Behaviour{CreateOnUpdate: true},
}

func defaultBinding(role *rbacv1.RoleRef, subjects []rbacv1.Subject) {
	rules.SetZero(&role.APIGroup, rbacv1.GroupName)
	for i := range subjects {
		switch subjects[i].Kind {
		case rbacv1.UserKind, rbacv1.GroupKind:
			rules.SetZero(&subjects[i].APIGroup, rbacv1.GroupName)
		}
	}
}
