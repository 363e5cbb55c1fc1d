// Package hooks has the four plugins for webhooks and policies, mutating and validating. It creates them for a state of
// the cluster, joins them with the other plugins to a chain, loads the manifests of webhooks and policies that a server
// has on its own disk, and explains which of them a request would be sent to.
//
// Start with [New]. Packages webhook and policy know how a webhook is called and a policy evaluated.
package hooks

import (
	"iter"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/plugins/policy"
	"github.com/admsim/admsim/pkg/plugins/webhook"
)

const (
	mutatingPolicies   = "MutatingAdmissionPolicy"
	mutatingWebhooks   = "MutatingAdmissionWebhook"
	validatingPolicies = "ValidatingAdmissionPolicy"
	validatingWebhooks = "ValidatingAdmissionWebhook"
)

// Options are the settings of the plugins. All up to Static must be set.
type Options struct {
	Run         []kubeversion.Plugin // all plugins that run, in order
	Types       *objects.Types
	Resources   *discovery.Resources
	Authorizer  authorizer.UnconditionalAuthorizer
	Release     *kubeversion.Release
	Expressions *expression.Compiler
	Dispatcher  *dispatch.Dispatcher

	// Backends returns the backend of a webhook.
	Backends func(configuration, webhook string) dispatch.Backend

	// At returns the cluster that answers requests in a given state, for webhooks that use it while they are called.
	At func(*cluster.State) (dispatch.Cluster, error)

	Static    []cluster.Object // webhooks and policies that are not objects of the cluster, see [Load]
	Explain   bool             // list skipped webhooks and policies in steps, with the reason
	Variables bool             // list every variable of a policy in steps
}

// sameView reports whether the cluster serves the same to the same users.
func (o Options) sameView(other Options) bool {
	return o.Types == other.Types && o.Authorizer == other.Authorizer
}

// Plugins are the four plugins for one state. They know which parts of earlier plugins they can reuse.
type Plugins struct {
	options            Options
	mutating           *webhook.Mutating
	validating         *webhook.Validating
	mutatingPolicies   policy.Mutating
	validatingPolicies policy.Validating

	kinds [6]cluster.Revision
}

// New returns the plugins for a state. before has those of an earlier state, or is nil; New returns before itself if
// nothing changed that the plugins depend on.
func New(s *cluster.State, o Options, before *Plugins) (*Plugins, error) {
	s = objects.Cached(s, o.Release)
	p := &Plugins{options: o}
	for i, kind := range []string{
		"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration",
		"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	} {
		p.kinds[i] = s.Revision(schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: kind})
	}
	if before == nil {
		before = &Plugins{}
	} else if before.options.sameView(o) && before.kinds == p.kinds {
		return before, nil
	}
	hooks := webhook.Options{
		Types:       o.Types,
		Resources:   o.Resources,
		Expressions: o.Expressions,
		Authorizer:  o.Authorizer,
		Dispatcher:  o.Dispatcher,
		Backends:    o.Backends,
		At:          o.At,
		Static:      o.Static,
		Explain:     o.Explain,
	}
	p.mutating, p.validating = webhook.NewMutating(s, hooks, before.mutating), webhook.NewValidating(s, hooks, before.validating)
	policies := policy.Options{
		AuditsAll:         o.Release.Has(kubeversion.AllAuditFailures),
		Namespaces:        o.Release.Has(kubeversion.CELNamespaces),
		LooksUpNamespaces: o.Release.Has(kubeversion.CELNamespacesLookedUp),
		LooksUpParams:     o.Release.Has(kubeversion.ParamsLookedUp),
		Types:             o.Types,
		Resources:         o.Resources,
		Expressions:       o.Expressions,
		Authorizer:        o.Authorizer,
		Static:            o.Static,
		Explain:           o.Explain,
		Variables:         o.Variables,
	}
	var err error
	if p.mutatingPolicies, err = policy.NewMutating(s, policies, before.mutatingPolicies); err != nil {
		return nil, err
	}
	p.validatingPolicies, err = policy.NewValidating(s, policies, before.validatingPolicies)
	return p, err
}

// Fork returns the plugins in a form that [New] can reuse with other options. If backends is not nil, it provides the
// backends of the webhooks.
func (p *Plugins) Fork(backends func(configuration, webhook string) dispatch.Backend) *Plugins {
	next := *p
	next.options.Types = nil
	if backends != nil {
		next.mutating, next.validating = p.mutating.AnsweredBy(backends), p.validating.AnsweredBy(backends)
	}
	return &next
}

// Chain joins the plugins that run and that admsim has, in the release's order; other returns plugins other than the
// four. Missing plugins are listed in docs/fidelity.md.
func (p *Plugins) Chain(other func(name string) (chain.Plugin, bool)) *chain.Chain {
	var links []chain.Plugin
	for _, known := range p.options.Run {
		link, ok := p.link(known.Name)
		if !ok {
			if link, ok = other(known.Name); !ok {
				continue
			}
		}
		link.Operations = known.Operations
		links = append(links, link)
	}
	return chain.New(links...)
}

func (p *Plugins) link(name string) (link chain.Plugin, ok bool) {
	switch name {
	case mutatingPolicies:
		return chain.Plugin{Name: name, Mutator: p.mutatingPolicies}, true
	case validatingPolicies:
		return chain.Plugin{Name: name, Validator: p.validatingPolicies}, true
	case mutatingWebhooks:
		return chain.Plugin{Name: name, Mutator: p.mutating}, true
	case validatingWebhooks:
		return chain.Plugin{Name: name, Validator: p.validating}, true
	}
	return chain.Plugin{}, false
}

// Configurations returns the webhook configurations: those of static manifests, and then those of a state.
func (p *Plugins) Configurations(s *cluster.State) iter.Seq[cluster.Object] {
	return func(yield func(cluster.Object) bool) {
		for _, o := range p.options.Static {
			if objects.IsWebhookConfiguration(o.Object) && !yield(o) {
				return
			}
		}
		objects.WebhookConfigurations(s)(yield)
	}
}

// Webhooks returns the names of their webhooks, each preceded by that of its configuration.
func (p *Plugins) Webhooks(s *cluster.State) iter.Seq2[string, string] {
	return func(yield func(configuration, name string) bool) {
		for o := range p.Configurations(s) {
			for _, w := range objects.Webhooks(o.Object) {
				if !yield(w.Configuration, w.Name) {
					return
				}
			}
		}
	}
}
