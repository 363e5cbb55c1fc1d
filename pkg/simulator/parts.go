package simulator

import (
	"iter"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/internal/authorization"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/plugins"
	"github.com/admsim/admsim/pkg/plugins/policy"
	"github.com/admsim/admsim/pkg/plugins/webhook"
	"github.com/admsim/admsim/pkg/rest"
)

// parts is what answers requests, made for one state of the cluster. Each part depends on
// the objects of a few kinds, and is taken over from the state before where these are the
// same.
type parts struct {
	release    *releaseParts
	resources  *discovery.Resources
	types      *objects.Types
	schemas    *patch.Schemas
	authorizer authorizer.UnconditionalAuthorizer
	mutating   *webhook.Mutating
	validating *webhook.Validating
	policies   policies
	server     *rest.Server
	builtIn    map[string]chain.Plugin

	crds, rules, hookKinds, policyKinds revision
}

// releaseParts depend on the release and options only.
type releaseParts struct {
	plugins     []kubeversion.Plugin // those that run, in order
	static      []cluster.Object     // webhooks and policies that are not of the cluster
	expressions *expression.Compiler
	dispatcher  *dispatch.Dispatcher
	suffix      func() string
	modes       []authorization.Mode
}

// A revision reports whether objects of some kinds are still the same.
type revision [4]cluster.Revision

func revisionOf(s *cluster.State, kinds ...schema.GroupKind) (r revision) {
	for i, k := range kinds {
		r[i] = s.Revision(k)
	}
	return r
}

func kindsOf(group string, kinds ...string) (list []schema.GroupKind) {
	list = make([]schema.GroupKind, 0, len(kinds))
	for _, k := range kinds {
		list = append(list, schema.GroupKind{Group: group, Kind: k})
	}
	return list
}

// newParts makes the parts for a state; before are those of an earlier one, nil at first.
func newParts(before *parts, s *cluster.State, o Options) (*parts, error) {
	p := revisionsOf(s)
	first := before == nil
	if first {
		release, err := newReleaseParts(o)
		if err != nil {
			return nil, err
		}
		before = &parts{release: release, schemas: &patch.Schemas{}}
	}
	p.release = before.release
	if before.server != nil && p.sameAs(before) {
		return before, nil
	}

	p.resources, p.types, p.schemas = before.resources, before.types, before.schemas
	sameTypes := !first && p.crds == before.crds
	if !sameTypes {
		p.resources = discovery.New(o.Release, s)
		p.types = newTypes(p.resources, p.release.expressions, o)
		p.schemas = before.schemas.Keep(definitions(s))
	}
	p.authorizer = before.authorizer
	sameRules := !first && p.rules == before.rules
	if !sameRules {
		p.authorizer = authorization.New(s, p.types, o.Release, p.release.modes)
	}

	hooks := p.webhookOptions(o)
	p.mutating, p.validating = webhook.NewMutating(s, hooks, before.mutating), webhook.NewValidating(s, hooks, before.validating)
	var err error
	if p.policies, err = p.newPolicies(before.policies, s, o); err != nil {
		return nil, err
	}
	p.builtIn = before.builtIn
	if !sameTypes || !sameRules || p.builtIn == nil {
		if p.builtIn, err = p.newBuiltIn(o); err != nil {
			return nil, err
		}
	}
	p.server = p.newServer(o)
	return p, nil
}

// definitions are the CRDs of a state.
func definitions(s *cluster.State) iter.Seq[*apiextensionsv1.CustomResourceDefinition] {
	return func(yield func(*apiextensionsv1.CustomResourceDefinition) bool) {
		for o := range s.List(apiextensionsv1.Kind("CustomResourceDefinition"), "") {
			if crd, ok := o.Object.(*apiextensionsv1.CustomResourceDefinition); ok && !yield(crd) {
				return
			}
		}
	}
}

// revisionsOf are the parts for a state of which nothing is made yet: what they depend on.
func revisionsOf(s *cluster.State) *parts {
	return &parts{
		crds:      revisionOf(s, kindsOf(apiextensionsv1.GroupName, "CustomResourceDefinition")...),
		rules:     revisionOf(s, kindsOf(rbacv1.GroupName, "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")...),
		hookKinds: revisionOf(s, kindsOf(admissionregistrationv1.GroupName, "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")...),
		policyKinds: revisionOf(s, kindsOf(admissionregistrationv1.GroupName,
			"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")...),
	}
}

func (p *parts) webhookOptions(o Options) webhook.Options {
	return webhook.Options{
		Types:       p.types,
		Resources:   p.resources,
		Expressions: p.release.expressions,
		Authorizer:  p.authorizer,
		Dispatcher:  p.release.dispatcher,
		Backends:    o.Backends,
		At: func(s *cluster.State) (dispatch.Cluster, error) {
			parts, err := newParts(p, s, o)
			return &Simulator{options: o, state: s, parts: parts}, err
		},
		Static:  p.release.static,
		Explain: o.Explain,
	}
}

func newReleaseParts(o Options) (*releaseParts, error) {
	plugins, err := o.Plugins.chain(o.Release)
	if err != nil {
		return nil, err
	}
	static, err := staticObjects(plugins, o)
	if err != nil {
		return nil, err
	}
	var modes []authorization.Mode
	if len(o.Authorization) > 0 {
		if modes, err = authorization.ParseModes(o.Authorization); err != nil {
			return nil, err
		}
	}
	return &releaseParts{
		modes:       modes,
		plugins:     plugins,
		static:      static,
		expressions: o.Expressions,
		dispatcher:  dispatch.New(o.NewUID),
		suffix:      suffixes(),
	}, nil
}

func (p *parts) newServer(o Options) *rest.Server {
	return &rest.Server{
		Release:    o.Release,
		Chain:      chain.New(p.links()...),
		Resources:  p.resources,
		Types:      p.types,
		Authorizer: p.authorizer,
		Authorizes: p.release.modes != nil,
		Schemas:    p.schemas,
		Now:        o.Now,
		NewUID:     o.NewUID,
		Suffix:     p.release.suffix,
		Tokens:     o.Tokens,
		Explain:    o.Explain,
	}
}

// sameAs reports whether two sets of parts are made of the same objects.
func (p *parts) sameAs(other *parts) bool {
	return p.crds == other.crds && p.rules == other.rules && p.hookKinds == other.hookKinds && p.policyKinds == other.policyKinds
}

// policies are the plugins that ask admission policies. Like those that call webhooks, they know
// themselves what to take over from those before.
type policies struct {
	mutating   *policy.Mutating
	validating *policy.Validating
}

func (p *parts) newPolicies(before policies, s *cluster.State, o Options) (made policies, err error) {
	options := policy.Options{
		AuditsAll:   o.Release.Has(kubeversion.AllAuditFailures),
		Types:       p.types,
		Resources:   p.resources,
		Expressions: p.release.expressions,
		Authorizer:  p.authorizer,
		Schemas:     p.schemas,
		Static:      p.release.static,
		Explain:     o.Explain,
		Variables:   o.Variables,
	}
	if made.mutating, err = policy.NewMutating(s, options, before.mutating); err != nil {
		return made, err
	}
	made.validating, err = policy.NewValidating(s, options, before.validating)
	return made, err
}

func newTypes(r *discovery.Resources, e *expression.Compiler, o Options) *objects.Types {
	served := func(gvk schema.GroupVersionKind) (objects.Resource, bool) {
		found, ok := r.ForKind(gvk)
		return objects.Resource{Namespaced: found.Namespaced, Storage: found.Storage, CRD: found.CRD}, ok
	}
	mapper := sync.OnceValue(func() meta.RESTMapper { return kindsOfResources(r) })
	return kinds.New(served, objects.Options{
		Release:               o.Release,
		Convert:               conversions(o.Backends),
		CheckMatchConditions:  e.CheckConditions,
		CheckDeviceSelector:   e.CheckDeviceSelector,
		CheckValidatingPolicy: e.CheckValidatingPolicy,
		CheckMutatingPolicy:   e.CheckMutatingPolicy,
		TypeCheck: func(policy *admissionregistrationv1.ValidatingAdmissionPolicy, schemas func(schema.GroupVersionKind) (*spec.Schema, bool)) []admissionregistrationv1.ExpressionWarning {
			return expression.TypeCheck(policy, schemas, mapper())
		},
	})
}

// kindsOfResources maps resources to kinds as a client of the server would.
func kindsOfResources(r *discovery.Resources) meta.RESTMapper {
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, one := range r.All() {
		if !one.Served {
			continue
		}
		scope := meta.RESTScopeRoot
		if one.Namespaced {
			scope = meta.RESTScopeNamespace
		}
		plural, singular := one.GroupVersionResource, one.GroupVersionResource
		singular.Resource = one.Singular
		mapper.AddSpecific(one.Kind, plural, singular, scope)
	}
	return mapper
}

// newBuiltIn makes the plugins that run and have no part of their own here, by name.
func (p *parts) newBuiltIn(o Options) (map[string]chain.Plugin, error) {
	made := map[string]chain.Plugin{}
	for _, known := range p.release.plugins {
		plugin, ok, err := plugins.New(known.Name, plugins.Options{
			Release:       o.Release,
			Resources:     p.resources,
			Types:         p.types,
			Authorizer:    p.authorizer,
			Backends:      o.Backends,
			Create:        p.creator(o),
			Now:           o.Now,
			Suffix:        p.release.suffix,
			Configuration: o.Plugins.Configuration[known.Name],
		})
		if err != nil {
			return nil, o.Plugins.located(known.Name, err)
		}
		if ok {
			made[known.Name] = plugin
		}
	}
	return made, nil
}

// links are the plugins that run and that admsim has, in the release's order. What is
// missing is listed in docs/fidelity.md.
func (p *parts) links() []chain.Plugin {
	var links []chain.Plugin
	for _, known := range p.release.plugins {
		link, ok := p.link(known.Name)
		if !ok {
			continue
		}
		link.Operations = known.Operations
		links = append(links, link)
	}
	return links
}

func (p *parts) link(name string) (link chain.Plugin, ok bool) {
	switch name {
	case "MutatingAdmissionPolicy":
		return chain.Plugin{Name: name, Mutator: p.policies.mutating}, true
	case "ValidatingAdmissionPolicy":
		return chain.Plugin{Name: name, Validator: p.policies.validating}, true
	case "MutatingAdmissionWebhook":
		return chain.Plugin{Name: name, Mutator: p.mutating}, true
	case "ValidatingAdmissionWebhook":
		return chain.Plugin{Name: name, Validator: p.validating}, true
	}
	link, ok = p.builtIn[name]
	return link, ok
}
