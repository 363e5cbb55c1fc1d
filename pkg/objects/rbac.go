package objects

import (
	rbacv1 "k8s.io/api/rbac/v1"
)

var (
	role               = rules[*rbacv1.Role]{name: pathSegment, behaviour: Behaviour{CreateOnUpdate: true}}
	clusterRole        = rules[*rbacv1.ClusterRole]{name: pathSegment, behaviour: Behaviour{CreateOnUpdate: true}}
	roleBinding        = rules[*rbacv1.RoleBinding]{name: pathSegment, defaults: func(b *rbacv1.RoleBinding) { defaultBinding(&b.RoleRef, b.Subjects) }, behaviour: Behaviour{CreateOnUpdate: true}}
	clusterRoleBinding = rules[*rbacv1.ClusterRoleBinding]{name: pathSegment, defaults: func(b *rbacv1.ClusterRoleBinding) { defaultBinding(&b.RoleRef, b.Subjects) }, behaviour: Behaviour{CreateOnUpdate: true}}
)

func defaultBinding(role *rbacv1.RoleRef, subjects []rbacv1.Subject) {
	setZero(&role.APIGroup, rbacv1.GroupName)
	for i := range subjects {
		switch subjects[i].Kind {
		case rbacv1.UserKind, rbacv1.GroupKind:
			setZero(&subjects[i].APIGroup, rbacv1.GroupName)
		}
	}
}
