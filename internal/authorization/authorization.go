// Package authorization answers whether a user may do something, by asking the authorizers of a server one after the
// other: the Node authorizer for kubelets, RBAC, ABAC policies, webhooks, AlwaysAllow and AlwaysDeny.
//
// Start with [NewChain] and [New]. An answer depends on the roles and bindings of the cluster and, for a node, on what
// its pods refer to when the question is asked: [Authorizer.In] sets the state to look at. [Asking] configures how
// webhooks are called. The package knows nothing about requests.
package authorization

import (
	"context"
	"strings"
	"sync"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/rbac"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// An Authorizer holds the authorizers of a server. It is immutable.
type Authorizer struct {
	chain     Chain
	webhooks  Asking
	roles     *rbac.Authorizer
	release   *kubeversion.Release
	types     *objects.Types
	nodeRules func() []rbacv1.PolicyRule
	state     *cluster.State
}

var (
	_ authorizer.UnconditionalAuthorizer = &Authorizer{}
	_ authorizer.RuleResolver            = &Authorizer{}
)

// Asking configures how webhooks are called. If the chain has webhooks, Backends is required.
type Asking struct {
	Backends func(configuration, webhook string) dispatch.Backend
	Notes    *Notes // of the current request; nil: nothing is recorded
}

// New returns the authorizer of a cluster. It reads the cluster when it is first asked. A nil chain stands for Node and
// RBAC, which nearly all clusters use.
func New(s *cluster.State, types *objects.Types, r *kubeversion.Release, chain Chain, webhooks Asking) *Authorizer {
	if chain == nil {
		chain = Chain{{Mode: Node, name: "node"}, {Mode: RBAC, name: "rbac"}}
	}
	return &Authorizer{
		chain:     chain,
		webhooks:  webhooks,
		roles:     rbac.New(s),
		release:   r,
		types:     types,
		nodeRules: sync.OnceValue(func() []rbacv1.PolicyRule { return bootstrap.NodeRules(r) }),
		state:     s,
	}
}

// In returns the authorizer for questions about user who while the cluster is in state s, for [cluster.In]. It uses the
// roles and bindings that a was made for, so only the answers about nodes can differ.
func (a *Authorizer) In(s *cluster.State, who string) authorizer.UnconditionalAuthorizer {
	if s == a.state || !strings.HasPrefix(who, nodeUser) {
		return a
	}
	in := *a
	in.state = objects.Cached(s, a.release)
	return &in
}

// Authorize implements [authorizer.UnconditionalAuthorizer].
func (a *Authorizer) Authorize(ctx context.Context, question authorizer.Attributes) (authorizer.Decision, string, error) {
	decision, reason, _, err := a.Decide(ctx, question)
	return decision, reason, err
}

// Decide answers a question, and returns the name of the authorizer that decided, or an empty name if none did:
// kubernetes/apiserver:pkg/authorization/union/union.go.
func (a *Authorizer) Decide(ctx context.Context, question authorizer.Attributes) (decision authorizer.Decision, reason, by string, err error) {
	who := question.GetUser()
	if who == nil {
		return authorizer.DecisionNoOpinion, "", "", nil
	}
	// kubernetes/kubernetes:pkg/kubeapiserver/authorizer/reload.go: before all modes.
	if rbac.IsPrivileged(who) {
		return authorizer.DecisionAllow, "", "kubernetes.io/system-privileged-group", nil
	}
	var reasons []string
	var errs []error
	for _, one := range a.chain {
		decision, reason, err := a.ask(ctx, one, question)
		if decision != authorizer.DecisionNoOpinion {
			return decision, reason, one.name, err
		}
		if reason != "" && a.release.Has(kubeversion.NamedAuthorizers) {
			reason = one.name + ": " + reason
		}
		if reason != "" {
			reasons = append(reasons, reason)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return authorizer.DecisionNoOpinion, strings.Join(reasons, "\n"), "", utilerrors.NewAggregate(errs)
}

// Reasons returns all reasons that RBAC may give for allowing the request, since several bindings may allow it.
func (a *Authorizer) Reasons(question authorizer.Attributes) []string {
	return a.roles.Reasons(question)
}

// ask asks one authorizer of the chain: kubernetes/apiserver:pkg/authorization/authorizerfactory/builtin.go.
func (a *Authorizer) ask(ctx context.Context, one link, question authorizer.Attributes) (authorizer.Decision, string, error) {
	switch one.Mode {
	case Node:
		decision, reason := nodeQuestion{a, question, nodeOf(question.GetUser())}.answer()
		return decision, reason, nil
	case ABAC:
		return one.policies.Authorize(ctx, question)
	case Webhook:
		return webhookClient{one.webhook, one.name, a.release, a.types, a.webhooks}.Authorize(ctx, question)
	case AlwaysAllow:
		return authorizer.DecisionAllow, "", nil
	case AlwaysDeny:
		return authorizer.DecisionNoOpinion, "Everything is forbidden.", nil
	}
	return a.roles.Authorize(ctx, question)
}

// RulesFor implements [authorizer.RuleResolver]: kubernetes/apiserver:pkg/authorization/union/union.go. The rules of
// system:masters come from a binding.
func (a *Authorizer) RulesFor(ctx context.Context, who user.Info, namespace string) (resources []authorizer.ResourceRuleInfo, others []authorizer.NonResourceRuleInfo, incomplete bool, err error) {
	var errs []error
	for _, one := range a.chain {
		moreResources, moreOthers, unknown, err := a.rulesOf(ctx, one, who, namespace)
		resources, others, incomplete = append(resources, moreResources...), append(others, moreOthers...), incomplete || unknown
		if err != nil {
			errs = append(errs, err)
		}
	}
	return resources, others, incomplete, utilerrors.NewAggregate(errs)
}

func (a *Authorizer) rulesOf(ctx context.Context, one link, who user.Info, namespace string) (resources []authorizer.ResourceRuleInfo, others []authorizer.NonResourceRuleInfo, incomplete bool, err error) {
	switch one.Mode {
	case Node:
		if nodeOf(who).isNode && a.release.Has(kubeversion.NodeRulesUnknown) {
			return nil, nil, true, errNodeRules
		}
	case RBAC:
		return a.roles.RulesFor(ctx, who, namespace)
	case ABAC:
		return one.policies.RulesFor(ctx, who, namespace)
	case Webhook:
		return nil, nil, true, errWebhookRules
	case AlwaysAllow:
		resources = append(resources, &authorizer.DefaultResourceRuleInfo{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}})
		others = append(others, &authorizer.DefaultNonResourceRuleInfo{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}})
	}
	return resources, others, false, nil
}

// IsPrivileged reports whether a user may do everything.
func (a *Authorizer) IsPrivileged(who user.Info) bool { return rbac.IsPrivileged(who) }

// RulesOf returns the rules of the role that a binding in a namespace refers to. A NotFound error names the resource
// missing or, if that is empty, the resource of the role.
func (a *Authorizer) RulesOf(ref rbacv1.RoleRef, namespace string, missing schema.GroupResource) ([]rbacv1.PolicyRule, error) {
	return rbac.RulesOf(a.state, ref, namespace, missing)
}

// MayGrant returns an error that lists the rules which a user lacks in a namespace, or nil.
func (a *Authorizer) MayGrant(ctx context.Context, who user.Info, namespace string, rules []rbacv1.PolicyRule, missing schema.GroupResource) error {
	return rbac.MayGrant(ctx, a.state, who, namespace, rules, missing)
}
