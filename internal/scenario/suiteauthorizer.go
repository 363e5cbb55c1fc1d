package scenario

import (
	"fmt"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// authorizer reads who may do what beyond the roles of the world: rbac (nobody), allowAll, or
// rules, which become roles like any others.
func (r *suiteReader) authorizer(v value) (everyone *bool, roles []Manifest) {
	if !v.given() {
		return nil, nil
	}
	if _, isText := v.is.(string); isText {
		return new(v.oneOf("rbac", "allowAll") == "allowAll"), nil
	}
	if !v.mapping("rules") {
		return nil, nil
	}
	for i, rule := range v.at("rules").list() {
		roles = append(roles, r.role(i, rule)...)
	}
	return new(false), roles
}

// modes reads which modes authorize requests before admission: nil if nothing is said, empty for
// none.
func modes(v value) []string {
	if !v.given() {
		return nil
	}
	modes := []string{}
	for _, one := range v.listOfTexts() {
		if mode := one.oneOf("Node", "RBAC", "AlwaysAllow", "AlwaysDeny"); mode != "" {
			modes = append(modes, mode)
		}
	}
	return modes
}

// role makes a role and a binding out of one rule.
func (r *suiteReader) role(i int, v value) []Manifest {
	if !v.mapping("user", "group", "verb", "verbs", "apiGroup", "resource", "resources", "name", "namespace", "decision") {
		return nil
	}
	if decision := v.at("decision"); decision.given() {
		if decision.text() == "deny" {
			decision.errorf("drop the rule; what no rule allows is denied", "rules only allow")
		} else {
			decision.oneOf("allow")
		}
	}
	subject := rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: v.at("user").text()}
	if group := v.at("group").text(); group != "" {
		subject.Kind, subject.Name = rbacv1.GroupKind, group
	}
	if subject.Name == "" {
		v.errorf("such as {user: alice, verb: use, resource: widgets.shop.example}", "a rule needs user or group")
	}
	rule := rbacv1.PolicyRule{Verbs: oneOrMore(v, "verb", "verbs"), Resources: oneOrMore(v, "resource", "resources"), APIGroups: []string{v.at("apiGroup").text()}}
	if len(rule.Verbs) == 0 || len(rule.Resources) == 0 {
		v.errorf("such as {user: alice, verb: use, resource: widgets.shop.example}", "a rule needs verb and resource")
		return nil
	}
	if !v.at("apiGroup").given() {
		checkResources(v, rule.Resources)
		rule.APIGroups, rule.Resources = groupsOf(rule.Resources)
	}
	if name := v.at("name").text(); name != "" {
		rule.ResourceNames = []string{name}
	}
	name := fmt.Sprintf("admsim:rule-%d", i+1)
	meta, bound := metav1.ObjectMeta{Name: name}, metav1.ObjectMeta{Name: name, Namespace: v.at("namespace").text()}
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}
	kind := "ClusterRoleBinding"
	if bound.Namespace != "" {
		kind = "RoleBinding"
	}
	return []Manifest{
		made(v, "ClusterRole", rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{rule}}, meta),
		made(v, kind, rbacv1.RoleBinding{ObjectMeta: bound, Subjects: []rbacv1.Subject{subject}, RoleRef: ref}, bound),
	}
}

// oneOrMore reads a text under one key, or several under another.
func oneOrMore(v value, one, more string) []string {
	all := v.at(more).texts()
	if text := v.at(one).text(); text != "" {
		all = append([]string{text}, all...)
	}
	return all
}

// checkResources reports resources that roles know by another name, which would allow nothing. What is not
// built in may be in the world.
func checkResources(v value, names []string) {
	known := discovery.New(kubeversion.Default(), cluster.New())
	for _, name := range names {
		if meant := known.Meant(name); meant != "" {
			v.errorf(fmt.Sprintf("did you mean %q?", meant), "roles have no resource %q", name)
		}
	}
}

// groupsOf takes the groups off resources such as deployments.apps.
func groupsOf(resources []string) (groups, names []string) {
	for _, r := range resources {
		name, group, _ := strings.Cut(r, ".")
		if r == "*" {
			group = "*"
		}
		groups, names = append(groups, group), append(names, name)
	}
	return groups, names
}

// made is an object that a suite has made for it.
func made(v value, kind string, object any, meta metav1.ObjectMeta) Manifest {
	return typed(v, rbacv1.SchemeGroupVersion.WithKind(kind), object, meta)
}

func typed(v value, gvk schema.GroupVersionKind, object any, meta metav1.ObjectMeta) Manifest {
	var fields map[string]any
	decodeInto(encode(object), &fields)
	fields["apiVersion"], fields["kind"] = gvk.ToAPIVersionAndKind()
	return Manifest{GroupVersionKind: gvk, Namespace: meta.Namespace, Name: meta.Name, JSON: encode(fields), Source: v.source()}
}
