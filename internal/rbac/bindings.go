package rbac

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/pkg/cluster"
)

func groupKind(kind string) schema.GroupKind {
	return schema.GroupKind{Group: rbacv1.GroupName, Kind: kind}
}

// A binding is a RoleBinding, or a ClusterRoleBinding, which has no namespace.
type binding struct {
	order           int // by namespace and name; the server's own order is random
	namespace, name string
	role            rbacv1.RoleRef
}

// A grant is a binding together with the subject by which it applies to a user.
type grant struct {
	*binding
	order   int // of the subject
	subject rbacv1.Subject
}

// bindings indexes bindings by their subjects.
type bindings struct {
	grants map[subjectKey][]grant
	count  int
}

// A subjectKey is a user or group with a grant in a namespace, or in all namespaces if that is empty.
type subjectKey struct {
	namespace string
	group     bool
	name      string
}

func index(s *cluster.State) *bindings {
	b := &bindings{grants: map[subjectKey][]grant{}}
	for o := range s.List(groupKind("ClusterRoleBinding"), "") {
		if c, ok := o.Object.(*rbacv1.ClusterRoleBinding); ok {
			b.add(&binding{name: c.Name, role: c.RoleRef}, c.Subjects)
		}
	}
	for o := range s.List(groupKind("RoleBinding"), "") {
		if r, ok := o.Object.(*rbacv1.RoleBinding); ok {
			b.add(&binding{namespace: r.Namespace, name: r.Name, role: r.RoleRef}, r.Subjects)
		}
	}
	return b
}

func (b *bindings) add(of *binding, subjects []rbacv1.Subject) {
	of.order = b.count
	b.count++
	for i, s := range subjects {
		key := subjectKey{namespace: of.namespace, name: s.Name}
		switch s.Kind {
		case rbacv1.UserKind:
		case rbacv1.GroupKind:
			key.group = true
		case rbacv1.ServiceAccountKind:
			namespace := cmp.Or(s.Namespace, of.namespace)
			if namespace == "" {
				continue // a ClusterRoleBinding has no namespace to use
			}
			key.name = serviceaccount.MakeUsername(namespace, s.Name)
		default:
			continue
		}
		b.grants[key] = append(b.grants[key], grant{binding: of, order: i, subject: s})
	}
}

// granted yields the bindings that apply to who, those of the whole cluster first. If several subjects of a binding
// match, the first one counts.
func (b *bindings) granted(who user.Info, namespace string) iter.Seq[grant] {
	return func(yield func(grant) bool) {
		for _, in := range slices.Compact([]string{"", namespace}) {
			var last *binding
			for _, g := range b.in(in, who) {
				if g.binding == last {
					continue
				}
				last = g.binding
				if !yield(g) {
					return
				}
			}
		}
	}
}

// in returns the grants of one namespace, or of the whole cluster, in order.
func (b *bindings) in(namespace string, who user.Info) []grant {
	found := slices.Clone(b.grants[subjectKey{namespace: namespace, name: who.GetName()}])
	for _, group := range who.GetGroups() {
		found = append(found, b.grants[subjectKey{namespace: namespace, group: true, name: group}]...)
	}
	slices.SortStableFunc(found, func(x, y grant) int {
		return cmp.Or(cmp.Compare(x.binding.order, y.binding.order), cmp.Compare(x.order, y.order))
	})
	return found
}

// reason returns the reason for allowing a request.
func (g grant) reason() string { return "RBAC: allowed by " + g.describe() }

// describe names a grant as the server does: kubernetes/kubernetes:pkg/registry/rbac/validation/rule.go.
func (g grant) describe() string {
	kind, name := "ClusterRoleBinding", g.name
	if g.namespace != "" {
		kind, name = "RoleBinding", g.name+"/"+g.namespace
	}
	subject := g.subject.Name
	if g.subject.Kind == rbacv1.ServiceAccountKind {
		subject += "/" + cmp.Or(g.subject.Namespace, g.namespace)
	}
	return fmt.Sprintf("%s %q of %s %q to %s %q", kind, name, g.role.Kind, g.role.Name, g.subject.Kind, subject)
}
