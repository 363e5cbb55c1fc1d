// Package rbac answers authorization questions from the RBAC objects of a cluster, as the server's RBAC authorizer
// does: roles only allow, nothing denies, and an answer names the binding that it comes from.
//
// Start with [New]. The groups of a user are those in the question; the groups of service accounts are not added.
// ClusterRoles with an aggregation rule have the rules that are stored in them. The other authorizers are in package
// authorization.
package rbac

import (
	"context"
	"fmt"
	"slices"
	"sync"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/pkg/cluster"
)

// New returns the authorizer of a cluster. It reads the cluster's bindings when it is first asked.
func New(s *cluster.State) *Authorizer {
	return &Authorizer{state: s, bindings: sync.OnceValue(func() *bindings { return index(s) })}
}

// unread is the prefix of reasons about roles that could not be read.
const unread = "RBAC: "

// An Authorizer allows what the roles of a cluster allow.
type Authorizer struct {
	state    *cluster.State
	bindings func() *bindings
}

var (
	_ authorizer.UnconditionalAuthorizer = &Authorizer{}
	_ authorizer.RuleResolver            = &Authorizer{}
)

// Authorize implements [authorizer.UnconditionalAuthorizer]:
// kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/rbac.go.
func (r *Authorizer) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	who := a.GetUser()
	if who == nil {
		return authorizer.DecisionNoOpinion, "", nil
	}
	if IsPrivileged(who) { // so RBAC alone allows them everything, without a binding
		return authorizer.DecisionAllow, "", nil
	}
	var failed failures
	for g := range r.bindings().granted(who, a.GetNamespace()) {
		rules, err := r.rules(g.binding)
		if err != nil {
			failed.add(g, err)
			continue
		}
		if Allow(rules, a) {
			return authorizer.DecisionAllow, g.reason(), nil
		}
	}
	if err := failed.asFound(ctx); err != nil {
		return authorizer.DecisionNoOpinion, unread + err.Error(), nil
	}
	return authorizer.DecisionNoOpinion, "", nil
}

// Reasons returns all reasons that the server may give for allowing what a asks for, starting with that of Authorize.
// The server goes through the bindings of the whole cluster in any order, then through those of the namespace.
func (r *Authorizer) Reasons(a authorizer.Attributes) (all []string) {
	who := a.GetUser()
	if who == nil || IsPrivileged(who) {
		return nil
	}
	first := ""
	for g := range r.bindings().granted(who, a.GetNamespace()) {
		if len(all) > 0 && g.namespace != first {
			break
		}
		if rules, err := r.rules(g.binding); err == nil && Allow(rules, a) {
			all, first = append(all, g.reason()), g.namespace
		}
	}
	return all
}

// IsPrivileged reports whether a user is in the group that the server allows everything before it asks any authorizer.
func IsPrivileged(who user.Info) bool {
	return slices.Contains(who.GetGroups(), user.SystemPrivilegedGroup)
}

// RulesFor implements [authorizer.RuleResolver]. The rules of system:masters come from a binding that every new cluster
// has. The server takes the bindings of the whole cluster in any order, then those of the namespace.
func (r *Authorizer) RulesFor(ctx context.Context, who user.Info, namespace string) (resources []authorizer.ResourceRuleInfo, others []authorizer.NonResourceRuleInfo, incomplete bool, err error) {
	var cluster, local []part
	for g := range r.bindings().granted(who, namespace) {
		rules, err := r.rules(g.binding)
		if g.namespace == "" {
			cluster = append(cluster, part{rules, err})
		} else {
			local = append(local, part{rules, err})
		}
	}
	var failures []error
	for _, p := range append(inAnyOrder(ctx, cluster), inAnyOrder(ctx, local)...) {
		if p.err != nil {
			failures = append(failures, p.err)
		}
		for _, rule := range p.rules {
			if len(rule.Resources) > 0 {
				resources = append(resources, &authorizer.DefaultResourceRuleInfo{
					Verbs: rule.Verbs, APIGroups: rule.APIGroups, Resources: rule.Resources, ResourceNames: rule.ResourceNames})
			}
			if len(rule.NonResourceURLs) > 0 {
				others = append(others, &authorizer.DefaultNonResourceRuleInfo{Verbs: rule.Verbs, NonResourceURLs: rule.NonResourceURLs})
			}
		}
	}
	return resources, others, false, utilerrors.NewAggregate(failures)
}

// rules returns what the role of a binding grants.
func (r *Authorizer) rules(b *binding) ([]rbacv1.PolicyRule, error) {
	switch b.role.Kind {
	case "Role":
		if role, ok := cluster.Get[*rbacv1.Role](r.state, groupKind("Role"), b.namespace, b.role.Name); ok {
			return role.Rules, nil
		}
		return nil, apierrors.NewNotFound(rbacv1.Resource("role"), b.role.Name)
	case "ClusterRole":
		if role, ok := cluster.Get[*rbacv1.ClusterRole](r.state, groupKind("ClusterRole"), "", b.role.Name); ok {
			return role.Rules, nil
		}
		return nil, apierrors.NewNotFound(rbacv1.Resource("clusterrole"), b.role.Name)
	}
	return nil, fmt.Errorf("unsupported role reference kind: %q", b.role.Kind)
}
