// Package authorization answers whether a user may do something, as the authorizers of a
// server do one after the other: the Node authorizer for kubelets, RBAC for everyone, the
// policies of ABAC, webhooks, and those that always say the same.
//
// Start with [NewChain] and [New]. An answer depends on the roles and bindings of the cluster and, for a
// node, on what its pods refer to at the moment of the question: [Authorizer.In] says which that
// is. Webhooks are asked as [Asking] says. The package knows nothing of requests.
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

// An Authorizer is what a server asks. It never changes.
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

// Asking says how webhooks are asked. Without Backends, there are none in the chain.
type Asking struct {
	Backends func(configuration, webhook string) dispatch.Backend
	Notes    *Notes // of the request that is answered; nil: nobody notes it
}

// New returns the authorizer of a cluster. It looks at the cluster when it is first asked. Without a chain
// it is that of nearly all clusters, Node and RBAC.
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

// In returns who answers questions about who while the cluster is in state s, for [cluster.In].
// Roles and bindings are those that a was made for, so that only the answers about nodes differ.
func (a *Authorizer) In(s *cluster.State, who string) authorizer.UnconditionalAuthorizer {
	if s == a.state || !strings.HasPrefix(who, nodeUser) {
		return a
	}
	in := *a
	in.state = s
	return &in
}

// Authorize implements [authorizer.UnconditionalAuthorizer].
func (a *Authorizer) Authorize(ctx context.Context, question authorizer.Attributes) (authorizer.Decision, string, error) {
	decision, reason, _, err := a.Decide(ctx, question)
	return decision, reason, err
}

// Decide answers a question, and says which authorizer decided it; if none did, by is empty:
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

// Reasons are all that roles may give for an answer that allows what is asked, since several bindings do.
func (a *Authorizer) Reasons(question authorizer.Attributes) []string {
	return a.roles.Reasons(question)
}

// ask asks one of the chain: kubernetes/apiserver:pkg/authorization/authorizerfactory/builtin.go.
func (a *Authorizer) ask(ctx context.Context, one link, question authorizer.Attributes) (authorizer.Decision, string, error) {
	switch one.Mode {
	case Node:
		decision, reason := nodeQuestion{a, question, nodeOf(question.GetUser())}.answer()
		return decision, reason, nil
	case ABAC:
		return one.policies.Authorize(ctx, question)
	case Webhook:
		return asking{one.webhook, one.name, a.release, a.types, a.webhooks}.Authorize(ctx, question)
	case AlwaysAllow:
		return authorizer.DecisionAllow, "", nil
	case AlwaysDeny:
		return authorizer.DecisionNoOpinion, "Everything is forbidden.", nil
	}
	return a.roles.Authorize(ctx, question)
}

// RulesFor implements [authorizer.RuleResolver]: kubernetes/apiserver:
// pkg/authorization/union/union.go. What system:masters may is said by a binding.
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

// RulesOf are those of the role that a binding in a namespace refers to. One that does not exist is
// called after missing; where that is empty, after its own resource.
func (a *Authorizer) RulesOf(ref rbacv1.RoleRef, namespace string, missing schema.GroupResource) ([]rbacv1.PolicyRule, error) {
	return rbac.RulesOf(a.state, ref, namespace, missing)
}

// MayGrant returns an error about the rules that a user lacks in a namespace, or nil.
func (a *Authorizer) MayGrant(ctx context.Context, who user.Info, namespace string, rules []rbacv1.PolicyRule, missing schema.GroupResource) error {
	return rbac.MayGrant(ctx, a.state, who, namespace, rules, missing)
}
