// kubernetes/kubernetes:pkg/apis/rbac/v1alpha1/conversion.go

package rbac

import (
	rbacv1 "k8s.io/api/rbac/v1"
	rbacv1alpha1 "k8s.io/api/rbac/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects/rules"
)

// roleBindingVersions returns v1alpha1 of rbac, which could be enabled up to 1.21. Its subjects have an API version
// instead of a group (CV-08).
func roleBindingVersions() []*rules.Version {
	alpha, v1 := rbacv1alpha1.SchemeGroupVersion, rbacv1.SchemeGroupVersion
	return []*rules.Version{
		rules.Extended(rules.Reshape(alpha, v1, "RoleBinding", func(b *rbacv1alpha1.RoleBinding) { defaultSubjects(b.Subjects) }),
			func(in *rbacv1alpha1.RoleBinding, out *rbacv1.RoleBinding) { subjectsToHub(in.Subjects, out.Subjects) },
			func(in *rbacv1.RoleBinding, out *rbacv1alpha1.RoleBinding) {
				subjectsFromHub(in.Subjects, out.Subjects)
			}),
		rules.Extended(rules.Reshape(alpha, v1, "ClusterRoleBinding", func(b *rbacv1alpha1.ClusterRoleBinding) { defaultSubjects(b.Subjects) }),
			func(in *rbacv1alpha1.ClusterRoleBinding, out *rbacv1.ClusterRoleBinding) {
				subjectsToHub(in.Subjects, out.Subjects)
			},
			func(in *rbacv1.ClusterRoleBinding, out *rbacv1alpha1.ClusterRoleBinding) {
				subjectsFromHub(in.Subjects, out.Subjects)
			}),
	}
}

func defaultSubjects(subjects []rbacv1alpha1.Subject) {
	for i := range subjects {
		switch subjects[i].Kind {
		case rbacv1alpha1.ServiceAccountKind:
			rules.SetZero(&subjects[i].APIVersion, "v1")
		case rbacv1alpha1.UserKind, rbacv1alpha1.GroupKind:
			rules.SetZero(&subjects[i].APIVersion, rbacv1alpha1.SchemeGroupVersion.String())
		}
	}
}

func subjectsToHub(in []rbacv1alpha1.Subject, out []rbacv1.Subject) {
	for i, s := range in {
		switch s.Kind {
		case rbacv1alpha1.ServiceAccountKind:
			out[i].APIGroup = ""
		case rbacv1alpha1.UserKind, rbacv1alpha1.GroupKind:
			out[i].APIGroup = rbacv1.GroupName
		default:
			if gv, err := schema.ParseGroupVersion(s.APIVersion); err == nil {
				out[i].APIGroup = gv.Group
			}
		}
		if s.Kind == rbacv1alpha1.UserKind && s.Name == "*" {
			out[i].Kind, out[i].Name = rbacv1.GroupKind, "system:authenticated"
		}
	}
}

func subjectsFromHub(in []rbacv1.Subject, out []rbacv1alpha1.Subject) {
	for i, s := range in {
		switch {
		case s.Kind == rbacv1.ServiceAccountKind && s.APIGroup == "":
			out[i].APIVersion = "v1"
		case (s.Kind == rbacv1.UserKind || s.Kind == rbacv1.GroupKind) && s.APIGroup == rbacv1.GroupName:
			out[i].APIVersion = rbacv1alpha1.SchemeGroupVersion.String()
		default:
			out[i].APIVersion = schema.GroupVersion{Group: s.APIGroup}.String()
		}
	}
}
