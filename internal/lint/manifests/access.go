package manifests

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/pkg/cluster"
)

// openAccess looks for bindings that let a whole group of people or programs change webhook
// configurations. Those that a server makes for itself are in no manifest.
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

// completes reports whether somebody in the manifests may write what a webhook does not have
// yet: with a ClusterRole for configurations like its own, as the servers of many webhooks
// have, which fill in a caBundle or rules when they start.
func completes(s *lint.Subject, h *lint.Hook) bool {
	plural := strings.ToLower(h.Kind()) + "s"
	for _, m := range s.Manifests {
		if m.Kind != "ClusterRole" {
			continue
		}
		role, ok := cluster.Get[*rbacv1.ClusterRole](s.State, schema.GroupKind{Group: rbacv1.GroupName, Kind: m.Kind}, "", m.Name)
		if ok && slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
			return has(rule.APIGroups, admissionregistrationv1.GroupName) && has(rule.Resources, plural) && (has(rule.Verbs, "update") || has(rule.Verbs, "patch")) &&
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
