package scenario

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/manifest"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// authorizer reads who may do what beyond the roles of the world: rbac (nothing more), allowAll, or rules, which become
// roles like any others.
func (r *suiteReader) authorizer(v manifest.Value) (everyone *bool, roles []manifest.Manifest) {
	if !v.Given() {
		return nil, nil
	}
	if _, isText := v.Is.(string); isText {
		return new(v.OneOf("rbac", "allowAll") == "allowAll"), nil
	}
	if !v.Mapping("rules") {
		return nil, nil
	}
	for i, rule := range v.At("rules").List() {
		roles = append(roles, r.role(i, rule)...)
	}
	return new(false), roles
}

var authorizationModes = []string{"Node", "RBAC", "ABAC", "Webhook", "AlwaysAllow", "AlwaysDeny"}

// authorization reads how requests are authorized before admission: a list of modes, or a mapping with modes and what
// they need. It is nil if v is not given.
func (r *suiteReader) authorization(v manifest.Value) *Authorization {
	if !v.Given() {
		return nil
	}
	modes, flags := v, AuthorizationFlags{}
	if _, isMapping := v.Is.(map[string]any); isMapping {
		v.Mapping("modes", "policyFile", "webhookConfigFile", "webhookVersion", "configFile")
		modes = v.At("modes")
		flags.PolicyFile, flags.WebhookFile, flags.ConfigFile = named(v.At("policyFile")), named(v.At("webhookConfigFile")), named(v.At("configFile"))
		flags.WebhookVersion = v.At("webhookVersion").OneOf("v1", "v1beta1")
	}
	for _, one := range modes.ListOfTexts() {
		if mode := one.OneOf(authorizationModes...); mode != "" {
			flags.Modes = append(flags.Modes, mode)
		}
	}
	a, err := flags.Load(r.options)
	if err != nil {
		v.Errorf("", "%v", err)
	}
	return &a
}

// named returns the path of the file that v names; empty if it names none.
func named(v manifest.Value) (file string) {
	if text := v.Text(); text != "" {
		file, _ = v.Named(text)
	}
	return file
}

// role makes a role and a binding from one rule.
func (r *suiteReader) role(i int, v manifest.Value) []manifest.Manifest {
	if !v.Mapping("user", "group", "verb", "verbs", "apiGroup", "resource", "resources", "name", "namespace", "decision") {
		return nil
	}
	if decision := v.At("decision"); decision.Given() {
		if decision.Text() == "deny" {
			decision.Errorf("drop the rule; what no rule allows is denied", "rules only allow")
		} else {
			decision.OneOf("allow")
		}
	}
	subject := rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: v.At("user").Text()}
	if group := v.At("group").Text(); group != "" {
		subject.Kind, subject.Name = rbacv1.GroupKind, group
	}
	if subject.Name == "" {
		v.Errorf("such as {user: alice, verb: use, resource: widgets.shop.example}", "a rule needs user or group")
	}
	rule := rbacv1.PolicyRule{Verbs: oneOrMore(v, "verb", "verbs"), Resources: oneOrMore(v, "resource", "resources"), APIGroups: []string{v.At("apiGroup").Text()}}
	if len(rule.Verbs) == 0 || len(rule.Resources) == 0 {
		v.Errorf("such as {user: alice, verb: use, resource: widgets.shop.example}", "a rule needs verb and resource")
		return nil
	}
	if !v.At("apiGroup").Given() {
		checkResources(v, rule.Resources)
		rule.APIGroups, rule.Resources = groupsOf(rule.Resources)
	}
	if name := v.At("name").Text(); name != "" {
		rule.ResourceNames = []string{name}
	}
	name := fmt.Sprintf("admsim:rule-%d", i+1)
	meta, bound := metav1.ObjectMeta{Name: name}, metav1.ObjectMeta{Name: name, Namespace: v.At("namespace").Text()}
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}
	kind := "ClusterRoleBinding"
	if bound.Namespace != "" {
		kind = "RoleBinding"
	}
	return []manifest.Manifest{
		made(v, "ClusterRole", rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{rule}}, meta),
		made(v, kind, rbacv1.RoleBinding{ObjectMeta: bound, Subjects: []rbacv1.Subject{subject}, RoleRef: ref}, bound),
	}
}

// oneOrMore reads a single text under one key, or several under another.
func oneOrMore(v manifest.Value, one, more string) []string {
	all := v.At(more).Texts()
	if text := v.At(one).Text(); text != "" {
		all = append([]string{text}, all...)
	}
	return all
}

// checkResources reports resources that roles spell differently, and that would therefore allow nothing. Unknown names
// are accepted: the world may define them.
func checkResources(v manifest.Value, names []string) {
	known := discovery.New(kubeversion.Default(), cluster.New())
	for _, name := range names {
		if meant := known.Meant(name); meant != "" {
			v.Errorf(fmt.Sprintf("did you mean %q?", meant), "roles have no resource %q", name)
		}
	}
}

// groupsOf splits resources such as deployments.apps into groups and names.
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

// made returns an object that is created for a suite.
func made(v manifest.Value, kind string, object any, meta metav1.ObjectMeta) manifest.Manifest {
	return typed(v, rbacv1.SchemeGroupVersion.WithKind(kind), object, meta)
}

func typed(v manifest.Value, gvk schema.GroupVersionKind, object any, meta metav1.ObjectMeta) manifest.Manifest {
	var fields map[string]any
	decodeInto(manifest.Encode(object), &fields)
	fields["apiVersion"], fields["kind"] = gvk.ToAPIVersionAndKind()
	return manifest.Manifest{GroupVersionKind: gvk, Namespace: meta.Namespace, Name: meta.Name, JSON: manifest.Encode(fields), Source: v.Source()}
}
