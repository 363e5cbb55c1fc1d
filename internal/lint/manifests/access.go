package manifests

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/internal/rbac"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
)

// openAccess looks for bindings that let a whole group of people or programs change webhook configurations. Bindings
// that a server creates itself are in no manifest.
func openAccess(s *lint.Subject, r *lint.Reporter) {
	for _, m := range s.Manifests {
		if m.Kind != "ClusterRoleBinding" {
			continue
		}
		binding, ok := cluster.Get[*rbacv1.ClusterRoleBinding](s.State, schema.GroupKind{Group: rbacv1.GroupName, Kind: m.Kind}, "", m.Name)
		if !ok {
			continue
		}
		role, ok := cluster.Get[*rbacv1.ClusterRole](s.State, schema.GroupKind{Group: rbacv1.GroupName, Kind: "ClusterRole"}, "", binding.RoleRef.Name)
		if !ok || !slices.ContainsFunc(role.Rules, changesWebhooks) {
			continue
		}
		for i, subject := range binding.Subjects {
			if subject.Kind == rbacv1.GroupKind && wide(subject.Name) {
				r.At(lint.Field{Manifest: m, Path: fmt.Sprintf("subjects[%d]", i)}, "everybody in %s may change webhook configurations, by ClusterRole %s", subject.Name, role.Name)
			}
		}
	}
}

// namespaceWriters looks for bindings that let somebody from outside write where webhooks run. Bindings for the whole
// cluster grant power everywhere on purpose, so only those of whole groups are reported.
func namespaceWriters(s *lint.Subject, r *lint.Reporter) {
	runs := map[string]*lint.Hook{} // one webhook of each namespace
	for _, h := range s.Hooks {
		if b := s.Graph.Backend(h.Webhook); b != nil && runs[b.Namespace] == nil {
			runs[b.Namespace] = h
		}
	}
	namespaces := slices.Sorted(maps.Keys(runs))
	known := s.Simulator.Resources().All()
	for _, m := range s.Manifests {
		in, ref, subjects := bindingOf(s, m)
		rules, err := rbac.RulesOf(s.State, ref, in, schema.GroupResource{})
		verb, resource := writes(rules, known)
		if err != nil || verb == "" {
			continue
		}
		for i, subject := range subjects {
			whole := subject.Kind == rbacv1.GroupKind && wide(subject.Name)
			at := slices.IndexFunc(namespaces, func(n string) bool { return (n == in || in == "" && whole) && !inside(subject, n) })
			if at < 0 {
				continue
			}
			f := r.At(lint.Field{Manifest: m, Path: fmt.Sprintf("subjects[%d]", i)}, "%s may %s %s in namespace %s, where a webhook runs, by %s %s",
				subjectName(subject, in), verb, resource, namespaces[at], ref.Kind, ref.Name)
			if whole {
				f.Severity = lint.Warning
			}
			webhook := runs[namespaces[at]].Field("")
			f.Related = append(f.Related, lint.Related{Source: webhook.Manifest.Position(webhook.Path), Message: "the webhook"})
		}
	}
}

// bindingOf returns what a manifest grants to whom; the namespace is empty if it grants this in all namespaces.
func bindingOf(s *lint.Subject, m scenario.Manifest) (namespace string, ref rbacv1.RoleRef, subjects []rbacv1.Subject) {
	kind := schema.GroupKind{Group: rbacv1.GroupName, Kind: m.Kind}
	switch m.Kind {
	case "ClusterRoleBinding":
		if b, ok := cluster.Get[*rbacv1.ClusterRoleBinding](s.State, kind, "", m.Name); ok {
			return "", b.RoleRef, b.Subjects
		}
	case "RoleBinding":
		namespace = cmp.Or(m.Namespace, metav1.NamespaceDefault)
		if b, ok := cluster.Get[*rbacv1.RoleBinding](s.State, kind, namespace, m.Name); ok {
			return namespace, b.RoleRef, b.Subjects
		}
	}
	return "", ref, nil
}

// writes returns the first thing that rules let somebody write in a namespace, except for leader election and events;
// empty: nothing.
func writes(rules []rbacv1.PolicyRule, known []discovery.Resource) (verb, resource string) {
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			i := slices.IndexFunc(changing, func(verb string) bool { return has(rule.Verbs, verb) })
			if i >= 0 && resource != "leases" && resource != "events" && storedInNamespaces(rule, resource, known) {
				return changing[i], resource
			}
		}
	}
	return "", ""
}

// storedInNamespaces reports whether a rule's resource has objects in namespaces: it has none if it is cluster-scoped,
// or a question such as a SelfSubjectAccessReview. Unknown resources may have some.
func storedInNamespaces(rule rbacv1.PolicyRule, resource string, known []discovery.Resource) bool {
	name, _, _ := strings.Cut(resource, "/")
	is := func(r discovery.Resource) bool {
		return (name == "*" || r.Resource == name) && has(rule.APIGroups, r.Group)
	}
	return !slices.ContainsFunc(known, is) || slices.ContainsFunc(known, func(r discovery.Resource) bool {
		return is(r) && r.Namespaced && slices.Contains(r.Verbs, "get")
	})
}

// inside reports whether a subject belongs to a namespace, or to the cluster itself.
func inside(subject rbacv1.Subject, namespace string) bool {
	switch subject.Kind {
	case rbacv1.ServiceAccountKind:
		return cmp.Or(subject.Namespace, namespace) == namespace
	case rbacv1.GroupKind:
		return subject.Name == serviceaccount.MakeNamespaceGroupName(namespace) || strings.HasPrefix(subject.Name, "system:") && !wide(subject.Name)
	}
	of, _, err := serviceaccount.SplitUsername(subject.Name)
	return err == nil && of == namespace || err != nil && strings.HasPrefix(subject.Name, "system:")
}

func subjectName(subject rbacv1.Subject, namespace string) string {
	switch subject.Kind {
	case rbacv1.ServiceAccountKind:
		return fmt.Sprintf("service account %s/%s", cmp.Or(subject.Namespace, namespace), subject.Name)
	case rbacv1.GroupKind:
		return "everybody in " + subject.Name
	}
	return subject.Name
}

// bootstrapping is the label of the roles that every API server creates when it starts:
// kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
const bootstrapping = "kubernetes.io/bootstrapping"

// completes reports whether somebody in the manifests may write what a webhook does not have yet, with a ClusterRole
// for configurations like its own. The servers of many webhooks have such a role, and fill in a caBundle or rules when
// they start. A role that merely permits everything shows no such server, nor does one that every API server creates.
func completes(s *lint.Subject, h *lint.Hook) bool {
	if h.Static {
		return false // the API does not change it
	}
	plural := strings.ToLower(h.Kind()) + "s"
	for _, m := range s.Manifests {
		if m.Kind != "ClusterRole" {
			continue
		}
		role, ok := cluster.Get[*rbacv1.ClusterRole](s.State, schema.GroupKind{Group: rbacv1.GroupName, Kind: m.Kind}, "", m.Name)
		if ok && role.Labels[bootstrapping] == "" && slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
			return slices.Contains(rule.APIGroups, admissionregistrationv1.GroupName) && slices.Contains(rule.Resources, plural) && (has(rule.Verbs, "update") || has(rule.Verbs, "patch")) &&
				(len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, h.Configuration))
		}) {
			return true
		}
	}
	return false
}

// wide reports whether users are in a group without being chosen for it.
func wide(group string) bool {
	return slices.Contains([]string{"system:authenticated", "system:unauthenticated"}, group) || strings.HasPrefix(group, "system:serviceaccounts")
}

var changing = []string{"create", "update", "patch", "delete", "deletecollection"}

func changesWebhooks(rule rbacv1.PolicyRule) bool {
	return has(rule.APIGroups, admissionregistrationv1.GroupName) &&
		(has(rule.Resources, "mutatingwebhookconfigurations") || has(rule.Resources, "validatingwebhookconfigurations")) &&
		slices.ContainsFunc(changing, func(verb string) bool { return has(rule.Verbs, verb) })
}
