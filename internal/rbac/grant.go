package rbac

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/admsim/admsim/pkg/cluster"
)

// RulesOf returns the rules of the role that a binding in a namespace refers to. A NotFound error names the resource
// missing or, if that is empty, the resource of the role. The server asks etcd for the role.
func RulesOf(s *cluster.State, ref rbacv1.RoleRef, namespace string, missing schema.GroupResource) ([]rbacv1.PolicyRule, error) {
	s = s.Live()
	switch ref.Kind {
	case "Role":
		if role, ok := cluster.Get[*rbacv1.Role](s, groupKind("Role"), namespace, ref.Name); ok {
			return role.Rules, nil
		}
		return nil, apierrors.NewNotFound(named(missing, "roles"), ref.Name)
	case "ClusterRole":
		if role, ok := cluster.Get[*rbacv1.ClusterRole](s, groupKind("ClusterRole"), "", ref.Name); ok {
			return role.Rules, nil
		}
		return nil, apierrors.NewNotFound(named(missing, "clusterroles"), ref.Name)
	}
	return nil, fmt.Errorf("unsupported role reference kind: %q", ref.Kind)
}

func named(given schema.GroupResource, otherwise string) schema.GroupResource {
	if given.Empty() {
		return rbacv1.Resource(otherwise)
	}
	return given
}

// MayGrant returns an error that lists the rules which a user lacks in a namespace, or nil:
// kubernetes/kubernetes:pkg/registry/rbac/validation/rule.go, ConfirmNoEscalation.
func MayGrant(ctx context.Context, s *cluster.State, who user.Info, namespace string, rules []rbacv1.PolicyRule, missing schema.GroupResource) error {
	var own []rbacv1.PolicyRule
	var failed failures
	for g := range index(s).granted(who, namespace) {
		granted, err := RulesOf(s, g.role, g.namespace, missing)
		if err != nil {
			failed.add(g, err)
		}
		own = append(own, granted...)
	}
	lacking := uncovered(own, rules)
	if len(lacking) == 0 {
		return nil
	}
	text := fmt.Sprintf("user %q (groups=%q) is attempting to grant RBAC permissions not currently held:\n%s",
		who.GetName(), who.GetGroups(), strings.Join(described(lacking), "\n"))
	if err := failed.asFound(ctx); err != nil {
		text += fmt.Sprintf("; resolution errors: [%v]", err)
	}
	return errors.New(text)
}

// uncovered splits rules into one per verb, group, resource and name, and returns those that none of own covers:
// kubernetes/component-helpers:auth/rbac/validation/policy_comparator.go.
func uncovered(own, rules []rbacv1.PolicyRule) (missing []rbacv1.PolicyRule) {
	for _, rule := range rules {
		for _, part := range parts(rule) {
			if !slices.ContainsFunc(own, func(o rbacv1.PolicyRule) bool { return covers(o, part) }) {
				missing = append(missing, part)
			}
		}
	}
	return missing
}

// parts splits a rule. Its paths combine only with its verbs.
func parts(r rbacv1.PolicyRule) (all []rbacv1.PolicyRule) {
	names := make([][]string, 0, 1)
	for _, name := range r.ResourceNames {
		names = append(names, []string{name})
	}
	if len(names) == 0 {
		names = append(names, nil)
	}
	for _, group := range r.APIGroups {
		for _, resource := range r.Resources {
			for _, verb := range r.Verbs {
				for _, name := range names {
					all = append(all, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{verb}, ResourceNames: name})
				}
			}
		}
	}
	for _, url := range r.NonResourceURLs {
		for _, verb := range r.Verbs {
			all = append(all, rbacv1.PolicyRule{NonResourceURLs: []string{url}, Verbs: []string{verb}})
		}
	}
	return all
}

// covers reports whether a rule covers a part of another.
func covers(r, part rbacv1.PolicyRule) bool {
	if !matches(r.Verbs, part.Verbs[0]) || len(r.ResourceNames) > 0 && (len(part.ResourceNames) == 0 || !slices.Contains(r.ResourceNames, part.ResourceNames[0])) {
		return false
	}
	if len(part.NonResourceURLs) > 0 {
		return slices.ContainsFunc(r.NonResourceURLs, func(url string) bool { return urlMatches(url, part.NonResourceURLs[0]) })
	}
	resource, sub, _ := strings.Cut(part.Resources[0], "/")
	return matches(r.APIGroups, part.APIGroups[0]) && resourceMatches(r.Resources, resource, sub)
}

// described formats rules as the server shows them, in order. Rules for the same resource that differ only in verbs are
// merged: kubernetes/kubernetes:pkg/registry/rbac/validation/policy_compact.go.
func described(rules []rbacv1.PolicyRule) []string {
	var compact []rbacv1.PolicyRule
	for _, rule := range rules {
		at := slices.IndexFunc(compact, func(r rbacv1.PolicyRule) bool {
			return len(rule.NonResourceURLs) == 0 && slices.Equal(r.APIGroups, rule.APIGroups) && slices.Equal(r.Resources, rule.Resources) && slices.Equal(r.ResourceNames, rule.ResourceNames)
		})
		if at < 0 {
			compact = append(compact, rule)
			continue
		}
		compact[at].Verbs = slices.Concat(compact[at].Verbs, rule.Verbs)
	}
	var texts []string
	for _, r := range compact {
		texts = append(texts, describe(r))
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

func describe(r rbacv1.PolicyRule) string {
	var parts []string
	for _, p := range []struct {
		name string
		list []string
	}{{"APIGroups", r.APIGroups}, {"Resources", r.Resources}, {"NonResourceURLs", r.NonResourceURLs}, {"ResourceNames", r.ResourceNames}, {"Verbs", r.Verbs}} {
		if len(p.list) > 0 {
			parts = append(parts, fmt.Sprintf("%s:%q", p.name, p.list))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
