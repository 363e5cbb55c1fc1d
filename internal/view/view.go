// Package view is one state of a cluster as the parts of a server see it: the resources that it serves, how their
// objects are decoded and encoded, and who may do what. Each of these is rebuilt only if objects that it depends on
// have changed.
//
// Start with [New]. The package does not know requests and plugins.
package view

import (
	"context"
	"iter"
	"sync"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/internal/authorization"
	"github.com/admsim/admsim/internal/managedfields"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Options configure a view. All fields except for those about authorization must be set.
type Options struct {
	Release     *kubeversion.Release
	Kinds       *objects.Table
	Expressions *expression.Compiler
	Now         func() time.Time

	// Backends returns the backend for the webhook that converts the resources of a CRD.
	Backends func(configuration, webhook string) dispatch.Backend

	// Conversions records the calls of these webhooks. May be nil.
	Conversions *Conversions

	// Authorization holds the modes of the flag --authorization-mode; empty: the default modes. Authorizers holds their
	// settings.
	Authorization []string
	Authorizers   admission.Authorizers

	// Notes records what authorization webhooks are asked during one request. May be nil.
	Notes *Notes
}

// A View is the view of one state. It is immutable.
type View struct {
	resources  *discovery.Resources
	types      *objects.Types
	schemas    *managedfields.Schemas // for server-side apply
	authorizer authorizer.UnconditionalAuthorizer

	converts    bool
	chain       authorization.Chain
	definitions cluster.Revision
	rules       [4]cluster.Revision
}

// New returns the view of a state. before is the view of an earlier state, or nil at first. It is returned itself if
// nothing changed that a view depends on.
func New(s *cluster.State, o Options, before *View) (*View, error) {
	s = objects.Cached(s, o.Release)
	v := &View{definitions: s.Revision(definition)}
	for i, kind := range []string{"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"} {
		v.rules[i] = s.Revision(schema.GroupKind{Group: rbacv1.GroupName, Kind: kind})
	}
	if before == nil {
		before = &View{schemas: objects.NewSchemas(o.Release)}
		var err error
		if before.chain, err = authorization.NewChain(o.Authorization, o.Authorizers, o.Release, o.Expressions.Subjects); err != nil {
			return nil, err
		}
	}
	sameTypes := before.types != nil && v.definitions == before.definitions
	sameRules := before.authorizer != nil && v.rules == before.rules
	if sameTypes && sameRules {
		return before, nil
	}
	v.chain = before.chain
	v.resources, v.types, v.schemas, v.converts = before.resources, before.types, before.schemas, before.converts
	if !sameTypes {
		v.resources = discovery.New(o.Release, s)
		v.schemas = before.schemas.Keep(definitions(s))
		v.types = newTypes(v.resources, v.schemas, o)
		v.converts = false
		for crd := range definitions(s) {
			v.converts = v.converts || crd.Spec.Conversion != nil && crd.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
		}
	}
	v.authorizer = before.authorizer
	if !sameRules {
		v.authorizer = authorization.New(s, v.types, o.Release, v.chain, authorization.Asking{Backends: o.Backends, Notes: o.Notes})
	}
	return v, nil
}

// Unanswered returns the view without the parts that call webhooks, so that other backends can answer.
func (v *View) Unanswered() *View {
	next := *v
	next.types = nil
	if v.chain.AsksWebhooks() {
		next.authorizer = nil
	}
	return &next
}

// AsksWebhooks reports whether requests may need webhooks other than those of admission: the cluster has resources with
// a conversion webhook, or authorizers that call one.
func (v *View) AsksWebhooks() bool { return v.converts || v.chain.AsksWebhooks() }

// Notes records what authorization webhooks are asked during one request.
type Notes = authorization.Notes

// NewNotes returns the notes for a request with context ctx, which finds the cluster in state s at time now.
func NewNotes(ctx context.Context, s *cluster.State, now time.Time) *Notes {
	return authorization.NewNotes(ctx, s, now)
}

// AuthorizationWebhooks is the configuration name under which authorization webhooks are called.
const AuthorizationWebhooks = authorization.WebhookConfiguration

// AuthorizingWebhooks returns the names of the authorization webhooks.
func (v *View) AuthorizingWebhooks() []string { return v.chain.Webhooks() }

// Resources returns the resources that the cluster serves.
func (v *View) Resources() *discovery.Resources { return v.resources }

// Types returns how objects of the cluster's kinds are decoded and encoded.
func (v *View) Types() *objects.Types { return v.types }

// Authorizer returns the authorizer of the cluster.
func (v *View) Authorizer() authorizer.UnconditionalAuthorizer { return v.authorizer }

var definition = apiextensionsv1.Kind("CustomResourceDefinition")

// definitions yields the CRDs in a state.
func definitions(s *cluster.State) iter.Seq[*apiextensionsv1.CustomResourceDefinition] {
	return func(yield func(*apiextensionsv1.CustomResourceDefinition) bool) {
		for o := range s.List(definition, "") {
			if crd, ok := o.Object.(*apiextensionsv1.CustomResourceDefinition); ok && !yield(crd) {
				return
			}
		}
	}
}

func newTypes(r *discovery.Resources, schemas *managedfields.Schemas, o Options) *objects.Types {
	served := func(gvk schema.GroupVersionKind) (objects.Resource, bool) {
		found, ok := r.ForKind(gvk)
		return objects.Resource{Namespaced: found.Namespaced, Storage: found.Storage, CRD: found.CRD}, ok
	}
	mapper := sync.OnceValue(func() meta.RESTMapper { return kindsOfResources(r) })
	return objects.New(served, o.Kinds, schemas, objects.Options{
		Release:               o.Release,
		Clock:                 o.Now,
		Convert:               conversions(o.Backends, o.Conversions, o.Release),
		CheckMatchConditions:  o.Expressions.CheckConditions,
		CheckDeviceExpression: o.Expressions.CheckDeviceExpression,
		CheckInstanceSelector: o.Expressions.CheckInstanceSelector,
		CheckValidatingPolicy: o.Expressions.CheckValidatingPolicy,
		CheckMutatingPolicy:   o.Expressions.CheckMutatingPolicy,
		TypeCheck: func(policy *admissionregistrationv1.ValidatingAdmissionPolicy, schemas func(schema.GroupVersionKind) (*spec.Schema, bool)) []admissionregistrationv1.ExpressionWarning {
			return o.Expressions.TypeCheck(policy, schemas, mapper())
		},
		MissingFields: func(object runtime.Object, bound []*admissionregistrationv1.MatchResources, schemas objects.Schemas) []objects.MissingFields {
			return o.Expressions.MissingFields(object, bound, schemas, mapper())
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

// Stored decodes an object of a served kind from JSON, and returns it as the cluster stores it.
func (v *View) Stored(data []byte, kind schema.GroupVersionKind) (runtime.Object, error) {
	object, _, err := v.types.Decode(data, kind, objects.Ignore)
	if err != nil {
		return nil, err
	}
	resource, _ := v.resources.ForKind(kind)
	if kind != resource.Storage {
		if object, err = v.types.Convert(object, resource.Storage); err != nil {
			return nil, err
		}
		object = v.types.Default(object)
	}
	return v.types.Read(object)
}
