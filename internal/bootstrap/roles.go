package bootstrap

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/kubeversion"
)

//go:embed roles.txt
var text string

// known is the table of all releases.
var known = sync.OnceValue(func() *Table {
	t, err := ParseTable(text)
	if err != nil {
		panic("bootstrap: roles.txt: " + err.Error())
	}
	return t
})

// NodeRules returns the rules that the Node authorizer grants every node: those of the role system:node of the release,
// whatever happened to the object itself.
func NodeRules(r *kubeversion.Release) []rbacv1.PolicyRule {
	for _, e := range known().entries {
		if e.kind == "ClusterRole" && e.name == "system:node" && e.applies(r.Minor, r.Enabled) {
			return madeOf(e, r.Minor, r.Enabled).rules
		}
	}
	return nil
}

// Kinds returns the kinds of roles and bindings.
func Kinds() []string { return []string{"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"} }

// Objects returns the objects of one kind in a release with these feature gates, sorted by name. Roles with an
// aggregation rule have no rules, since no controller has run. The objects have no UID.
func (t *Table) Objects(kind string, minor int, on func(gate string) bool) []runtime.Object {
	var list []runtime.Object
	for _, e := range t.entries {
		if e.kind == kind && e.applies(minor, on) {
			list = append(list, e.object(minor, on))
		}
	}
	return list
}

// object builds the object of an entry.
func (e *entry) object(minor int, on func(gate string) bool) runtime.Object {
	made := madeOf(e, minor, on)
	of := metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: e.kind}
	switch e.kind {
	case "ClusterRole":
		role := &rbacv1.ClusterRole{TypeMeta: of, ObjectMeta: made.meta, Rules: made.rules}
		if made.selectors != nil {
			role.AggregationRule = &rbacv1.AggregationRule{ClusterRoleSelectors: made.selectors}
		}
		return role
	case "Role":
		return &rbacv1.Role{TypeMeta: of, ObjectMeta: made.meta, Rules: made.rules}
	case "ClusterRoleBinding":
		return &rbacv1.ClusterRoleBinding{TypeMeta: of, ObjectMeta: made.meta, Subjects: made.subjects, RoleRef: e.roleRef()}
	}
	return &rbacv1.RoleBinding{TypeMeta: of, ObjectMeta: made.meta, Subjects: made.subjects, RoleRef: e.roleRef()}
}

func (e *entry) roleRef() rbacv1.RoleRef {
	kind := strings.TrimSuffix(e.kind, "Binding")
	return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: e.role}
}

// parts holds what the lines below an object define.
type parts struct {
	meta      metav1.ObjectMeta
	rules     []rbacv1.PolicyRule
	selectors []metav1.LabelSelector
	subjects  []rbacv1.Subject
}

func madeOf(e *entry, minor int, on func(gate string) bool) parts {
	p := parts{meta: metav1.ObjectMeta{
		Namespace:   e.namespace,
		Name:        e.name,
		Labels:      map[string]string{"kubernetes.io/bootstrapping": "rbac-defaults"},
		Annotations: map[string]string{rbacv1.AutoUpdateAnnotationKey: "true"},
	}}
	for _, l := range e.lines {
		if l.applies(minor, on) {
			p.add(l.what, func(word string) []string { return items(word, on) })
		}
	}
	return p
}

// add adds what one line defines. list splits a word into a list.
func (p *parts) add(words []string, list func(string) []string) {
	switch words[0] {
	case "label":
		p.meta.Labels[words[1]] = "true"
	case "aggregates":
		p.selectors = append(p.selectors, metav1.LabelSelector{MatchLabels: map[string]string{words[1]: "true"}})
	case "may":
		rule := rbacv1.PolicyRule{Verbs: list(words[1]), APIGroups: list(words[2]), Resources: list(words[3])}
		if len(words) > 4 {
			rule.ResourceNames = list(words[4])
		}
		p.rules = append(p.rules, rule)
	case "url":
		p.rules = append(p.rules, rbacv1.PolicyRule{Verbs: list(words[1]), NonResourceURLs: list(words[2])})
	case "user":
		p.subjects = append(p.subjects, rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: words[1]})
	case "group":
		p.subjects = append(p.subjects, rbacv1.Subject{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: words[1]})
	case "account":
		namespace, name, _ := strings.Cut(words[1], "/")
		p.subjects = append(p.subjects, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name})
	}
}

// items splits a list such as core,apps or /metrics,/flagz?ComponentFlagz, where the second item exists only with that
// feature gate.
func items(word string, on func(gate string) bool) []string {
	list := strings.Split(word, ",")
	kept := list[:0]
	for _, item := range list {
		item, gates, gated := strings.Cut(item, "?")
		if gated && slices.ContainsFunc(strings.Split(gates, "+"), func(g string) bool { return !on(g) }) {
			continue
		}
		if item == core {
			item = ""
		}
		kept = append(kept, item)
	}
	return kept
}

// core is the table's name for the core group, whose name is empty.
const core = "core"
