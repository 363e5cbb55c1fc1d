package bootstrap

import (
	"cmp"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/admsim/admsim/pkg/cluster"
)

// Aggregated returns s with the rules of its aggregated roles filled in, as their controller does:
// kubernetes/kubernetes:pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go. A role from the
// manifests that has rules keeps them, since the manifests may describe only a part of a cluster.
func Aggregated(s *cluster.State) *cluster.State {
	written := clusterRoles(s.Written(groupKind("ClusterRole")))
	aggregated := s.MapInitial(groupKind("ClusterRole"), func(first []cluster.Object) []cluster.Object {
		all := slices.Clone(written)
		for _, o := range first {
			role, ok := o.Object.(*rbacv1.ClusterRole)
			if _, replaced := find(written, o); ok && !replaced {
				all = append(all, role)
			}
		}
		all = aggregate(all)
		made := make([]cluster.Object, len(first))
		for i, o := range first {
			made[i] = o
			if role, ok := find(all, o); ok {
				made[i].Object = role
			}
		}
		return made
	})
	if !slices.ContainsFunc(written, isEmpty) {
		return aggregated
	}
	all := aggregate(clusterRoles(s.List(groupKind("ClusterRole"), "")))
	var changed []cluster.Object
	for o := range s.Written(groupKind("ClusterRole")) {
		if role, ok := find(all, o); ok && role != o.Object && len(role.Rules) > 0 {
			changed = append(changed, o.Replaced(role))
		}
	}
	if changed == nil {
		return aggregated
	}
	return aggregated.With(changed...)
}

// isEmpty reports whether the controller still has to write the rules of a role.
func isEmpty(r *rbacv1.ClusterRole) bool { return r.AggregationRule != nil && len(r.Rules) == 0 }

func clusterRoles(objects func(func(cluster.Object) bool)) (roles []*rbacv1.ClusterRole) {
	for o := range objects {
		if role, ok := o.Object.(*rbacv1.ClusterRole); ok {
			roles = append(roles, role)
		}
	}
	return roles
}

func find(roles []*rbacv1.ClusterRole, o cluster.Object) (*rbacv1.ClusterRole, bool) {
	name := cluster.KeyOf(o.Object).Name
	i := slices.IndexFunc(roles, func(r *rbacv1.ClusterRole) bool { return r.Name == name })
	if i < 0 {
		return nil, false
	}
	return roles[i], true
}

// aggregate returns the roles, with copies in place of those that get rules. An aggregated role may be part of another,
// so it repeats until nothing changes.
func aggregate(roles []*rbacv1.ClusterRole) []*rbacv1.ClusterRole {
	roles = slices.Clone(roles)
	slices.SortFunc(roles, func(a, b *rbacv1.ClusterRole) int { return cmp.Compare(a.Name, b.Name) })
	var empty []int
	for i, r := range roles {
		if isEmpty(r) {
			empty = append(empty, i)
		}
	}
	for range len(empty) + 1 {
		changed := false
		for _, i := range empty {
			rules := rulesFor(roles[i], roles)
			if slices.EqualFunc(rules, roles[i].Rules, same) {
				continue
			}
			role := *roles[i]
			role.Rules = rules
			roles[i], changed = &role, true
		}
		if !changed {
			break
		}
	}
	return roles
}

func same(a, b rbacv1.PolicyRule) bool {
	return slices.Equal(a.Verbs, b.Verbs) && slices.Equal(a.APIGroups, b.APIGroups) && slices.Equal(a.Resources, b.Resources) &&
		slices.Equal(a.ResourceNames, b.ResourceNames) && slices.Equal(a.NonResourceURLs, b.NonResourceURLs)
}

// rulesFor returns the rules of the roles that a role selects, sorted by the names of the roles, without duplicates.
func rulesFor(role *rbacv1.ClusterRole, roles []*rbacv1.ClusterRole) (rules []rbacv1.PolicyRule) {
	for _, selector := range selectorsOf(role) {
		for _, other := range roles {
			if other.Name == role.Name || !selector.Matches(labels.Set(other.Labels)) {
				continue
			}
			for _, rule := range other.Rules {
				if !slices.ContainsFunc(rules, func(r rbacv1.PolicyRule) bool { return same(r, rule) }) {
					rules = append(rules, rule)
				}
			}
		}
	}
	return rules
}

// Outdated returns copies of the aggregated roles whose rules differ from what their controller would set, after the
// given roles were written. It checks the written roles and the roles that select one of them; written has each role as
// it was before and as it is now.
func Outdated(s *cluster.State, written ...*rbacv1.ClusterRole) (roles []*rbacv1.ClusterRole) {
	all := clusterRoles(s.List(groupKind("ClusterRole"), ""))
	slices.SortFunc(all, func(a, b *rbacv1.ClusterRole) int { return cmp.Compare(a.Name, b.Name) })
	for _, role := range all {
		concerned := func(w *rbacv1.ClusterRole) bool { return w.Name == role.Name || selects(role, w) }
		if role.AggregationRule == nil || !slices.ContainsFunc(written, concerned) {
			continue
		}
		if rules := rulesFor(role, all); !slices.EqualFunc(rules, role.Rules, same) {
			now := *role
			now.Rules = rules
			roles = append(roles, &now)
		}
	}
	return roles
}

// Reaggregated returns the cluster with the rules of aggregated roles updated, if roles were written since before.
func Reaggregated(before, now *cluster.State) *cluster.State {
	kind := groupKind("ClusterRole")
	if before.Revision(kind) == now.Revision(kind) {
		return now
	}
	written := differing(before, now)
	for left := len(clusterRoles(now.List(kind, ""))); left > 0; left-- { // an aggregated role may be part of another
		outdated := Outdated(now, written...)
		if outdated == nil {
			break
		}
		for _, role := range outdated {
			o, _ := now.Find(cluster.Key{GroupKind: kind, Name: role.Name})
			role.ResourceVersion = now.NextVersion(role.ResourceVersion)
			now = now.With(o.Replaced(role))
		}
		written = outdated
	}
	return now
}

// differing returns the roles that are not the same objects in both clusters, as they are in each.
func differing(a, b *cluster.State) (roles []*rbacv1.ClusterRole) {
	for _, pair := range [][2]*cluster.State{{a, b}, {b, a}} {
		for o := range pair[0].List(groupKind("ClusterRole"), "") {
			role, ok := o.Object.(*rbacv1.ClusterRole)
			if other, exists := pair[1].Find(cluster.KeyOf(o.Object)); ok && (!exists || other.Object != o.Object) {
				roles = append(roles, role)
			}
		}
	}
	return roles
}

func selects(role, other *rbacv1.ClusterRole) bool {
	return slices.ContainsFunc(selectorsOf(role), func(s labels.Selector) bool { return s.Matches(labels.Set(other.Labels)) })
}

// selectorsOf returns the selectors of a role's aggregation rule. An invalid selector selects nothing.
func selectorsOf(role *rbacv1.ClusterRole) (all []labels.Selector) {
	for i := range role.AggregationRule.ClusterRoleSelectors {
		if s, err := metav1.LabelSelectorAsSelector(&role.AggregationRule.ClusterRoleSelectors[i]); err == nil {
			all = append(all, s)
		}
	}
	return all
}
