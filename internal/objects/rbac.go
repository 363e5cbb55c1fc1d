package objects

import (
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

var role = rules[*rbacv1.Role]{
	checkedOnce: kubeversion.RolesCheckedOnce,
	name:        pathSegment,
	validate:    func(o *rbacv1.Role, _ request) field.ErrorList { return validateRules(o.Rules, true) },
	behaviour:   Behaviour{CreateOnUpdate: true},
}

var clusterRole = rules[*rbacv1.ClusterRole]{
	checkedOnce: kubeversion.RolesCheckedOnce,
	name:        pathSegment,
	validate:    validateClusterRole,
	behaviour:   Behaviour{CreateOnUpdate: true},
}

var roleBinding = rules[*rbacv1.RoleBinding]{
	checkedOnce: kubeversion.RolesCheckedOnce,
	name:        pathSegment,
	defaults:    func(b *rbacv1.RoleBinding) { defaultBinding(&b.RoleRef, b.Subjects) },
	validate: func(b *rbacv1.RoleBinding, _ request) field.ErrorList {
		return validateBinding(b.RoleRef, b.Subjects, true, "Role", "ClusterRole")
	},
	validateUpdate: func(b, old *rbacv1.RoleBinding, _ request) field.ErrorList { return sameRole(b.RoleRef, old.RoleRef) },
	behaviour:      Behaviour{CreateOnUpdate: true},
}

var clusterRoleBinding = rules[*rbacv1.ClusterRoleBinding]{
	checkedOnce: kubeversion.RolesCheckedOnce,
	name:        pathSegment,
	defaults:    func(b *rbacv1.ClusterRoleBinding) { defaultBinding(&b.RoleRef, b.Subjects) },
	validate: func(b *rbacv1.ClusterRoleBinding, _ request) field.ErrorList {
		return validateBinding(b.RoleRef, b.Subjects, false, "ClusterRole")
	},
	validateUpdate: func(b, old *rbacv1.ClusterRoleBinding, _ request) field.ErrorList {
		return sameRole(b.RoleRef, old.RoleRef)
	},
	behaviour: Behaviour{CreateOnUpdate: true},
}

func defaultBinding(role *rbacv1.RoleRef, subjects []rbacv1.Subject) {
	setZero(&role.APIGroup, rbacv1.GroupName)
	for i := range subjects {
		switch subjects[i].Kind {
		case rbacv1.UserKind, rbacv1.GroupKind:
			setZero(&subjects[i].APIGroup, rbacv1.GroupName)
		}
	}
}
