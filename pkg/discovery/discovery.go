// Package discovery knows which resources exist: those that a release serves, and those that the cluster's
// CustomResourceDefinitions add. It knows their kinds, scopes and subresources, and which of them are equivalent.
//
// Start with [New]. [Resources.Find] accepts what people type for kubectl, such as
// deploy/scale. Whether a webhook's rule selects a resource is decided by package matcher.
package discovery

import (
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/memo"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Resource is one resource in one version.
type Resource struct {
	schema.GroupVersionResource
	Kind       schema.GroupVersionKind
	Singular   string
	ShortNames []string
	Namespaced bool
	Served     bool // false for a version of a CRD that has served: false
	Verbs      []string

	Subresources map[string]Subresource

	// Storage is the kind in which the cluster's state holds the objects.
	Storage schema.GroupVersionKind
	// StoragePrefix is the prefix in etcd under which the server stores the objects.
	StoragePrefix string

	// CRD defines a custom resource; it is nil for built-in resources.
	CRD *apiextensionsv1.CustomResourceDefinition
}

// A Subresource is an additional path under every object of a resource.
type Subresource = kubeversion.Subresource

// Resources holds the resources of a release and a cluster. It is immutable.
type Resources struct {
	release *kubeversion.Release
	state   *cluster.State
	custom  memo.Map                    // name of a CRD → *custom, filled on demand
	kinds   func() map[string][]*custom // by kind, all CRDs of the state
}

// New returns the resources of release r and of the CRDs in s. CRDs are read when a custom resource is first looked up.
func New(r *kubeversion.Release, s *cluster.State) *Resources {
	rs := &Resources{release: r, state: s}
	rs.kinds = sync.OnceValue(rs.customKinds)
	return rs
}

// Resource returns the resource of that name in that version.
func (rs *Resources) Resource(gvr schema.GroupVersionResource) (Resource, bool) {
	if r, ok := rs.release.Resource(gvr); ok {
		return builtIn(r), true
	}
	if c := rs.defined(gvr.GroupResource()); c != nil {
		return c.version(gvr.Version)
	}
	return Resource{}, false
}

// ForKind returns the resource whose objects have that kind.
func (rs *Resources) ForKind(gvk schema.GroupVersionKind) (Resource, bool) {
	if r, ok := rs.release.ForKind(gvk); ok {
		return builtIn(r), true
	}
	for _, c := range rs.kinds()[gvk.Kind] {
		if c.crd.Spec.Group == gvk.Group {
			return c.version(gvk.Version)
		}
	}
	return Resource{}, false
}

// KindFor returns the kind of the body of requests to gvr, or to one of its subresources.
func (rs *Resources) KindFor(gvr schema.GroupVersionResource, subresource string) (schema.GroupVersionKind, bool) {
	if kind, ok := rs.release.KindFor(gvr, subresource); ok {
		return kind, true
	}
	c := rs.defined(gvr.GroupResource())
	if c == nil {
		return schema.GroupVersionKind{}, false
	}
	r, ok := c.version(gvr.Version)
	if !ok || subresource == "" {
		return r.Kind, ok
	}
	sub, ok := r.Subresources[subresource]
	return sub.Kind, ok
}

// Equivalents returns the resources equivalent to gvr that have this subresource, including gvr, in the order in which
// the server registered them (W-107 to W-110). A custom resource is equivalent to its other versions only. The slice is
// shared.
func (rs *Resources) Equivalents(gvr schema.GroupVersionResource, subresource string) []schema.GroupVersionResource {
	if same := rs.release.Equivalents(gvr, subresource); same != nil {
		return same
	}
	if c := rs.defined(gvr.GroupResource()); c != nil {
		return c.equivalents[subresource]
	}
	return nil
}

// All returns every resource: the built-in ones in the order in which the server installs them, then the custom ones by
// name of their CRD, the preferred version first.
func (rs *Resources) All() []Resource {
	var all []Resource
	for _, r := range rs.release.Resources {
		all = append(all, builtIn(r))
	}
	for o := range rs.state.List(crdKind, "") {
		if crd, ok := o.Object.(*apiextensionsv1.CustomResourceDefinition); ok {
			if c := rs.defined(schema.GroupResource{Group: crd.Spec.Group, Resource: crd.Spec.Names.Plural}); c != nil {
				all = append(all, c.preferred()...)
			}
		}
	}
	return all
}

func builtIn(r kubeversion.Resource) Resource {
	return Resource{
		GroupVersionResource: r.GroupVersionResource(),
		Kind:                 r.GroupVersionKind(),
		Singular:             r.Singular,
		ShortNames:           r.ShortNames,
		Namespaced:           r.Namespaced,
		Served:               true,
		Verbs:                r.Verbs,
		Subresources:         r.Subresources,
		Storage:              r.Storage,
		StoragePrefix:        r.StoragePrefix,
	}
}
