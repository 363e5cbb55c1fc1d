// Package discovery knows which resources a cluster serves: the built-in ones of its
// release, and those that its CustomResourceDefinitions define; their scope, the kinds of
// their bodies, and which of them are the same objects under another version.
//
// It does not know selectors, nor what is done with an object. Start with [New].
package discovery

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Resource is one resource in one version.
type Resource struct {
	schema.GroupVersionResource
	Kind         schema.GroupVersionKind
	Singular     string
	ShortNames   []string
	Namespaced   bool
	Served       bool                    // false for a version that a CRD only lists
	Storage      schema.GroupVersionKind // what its objects are kept as
	Verbs        []string
	Subresources map[string]Subresource
	CRD          *apiextensionsv1.CustomResourceDefinition // nil for built-in ones

	family string // resources of one family are the same objects
}

// A Subresource is a part of a resource with a path of its own.
type Subresource struct {
	Kind  schema.GroupVersionKind // of the request's body
	Verbs []string
}

// Resources are the resources of one cluster. It does not change.
type Resources struct {
	builtin, custom *index
}

// An index finds resources; its list is in the order of registration (W-109, W-110).
type index struct {
	list     []Resource
	byGVR    map[schema.GroupVersionResource]int
	byGVK    map[schema.GroupVersionKind]int
	families map[string][]int
}

func newIndex(list []Resource) *index {
	x := &index{
		list:     list,
		byGVR:    map[schema.GroupVersionResource]int{},
		byGVK:    map[schema.GroupVersionKind]int{},
		families: map[string][]int{},
	}
	for i, r := range list {
		x.byGVR[r.GroupVersionResource] = i
		x.byGVK[r.Kind] = i
		x.families[r.family] = append(x.families[r.family], i)
	}
	return x
}

// builtins are the indexes of releases, made once for each.
var builtins sync.Map // *kubeversion.Release → func() *index

// New returns what a release serves together with the definitions in s.
func New(r *kubeversion.Release, s *cluster.State) *Resources {
	made, _ := builtins.LoadOrStore(r, sync.OnceValue(func() *index { return newIndex(builtinResources(r)) }))
	return &Resources{builtin: made.(func() *index)(), custom: newIndex(customResources(s))}
}

func builtinResources(release *kubeversion.Release) []Resource {
	var list []Resource
	for _, k := range release.Resources {
		r := Resource{
			GroupVersionResource: k.GroupVersionResource,
			Kind:                 k.Kind,
			Singular:             strings.ToLower(k.Kind.Kind),
			ShortNames:           k.ShortNames,
			Namespaced:           k.Namespaced,
			Served:               true,
			Storage:              k.Storage,
			Verbs:                k.Verbs,
			Subresources:         map[string]Subresource{},
			family:               k.Prefix,
		}
		for _, s := range k.Subresources {
			r.Subresources[s.Name] = Subresource{Kind: s.Kind, Verbs: s.Verbs}
		}
		list = append(list, r)
	}
	return list
}

var (
	definitions = schema.GroupKind{Group: apiextensionsv1.GroupName, Kind: "CustomResourceDefinition"}
	customVerbs = []string{"create", "update", "patch", "delete", "deletecollection"}
	updateVerbs = []string{"update", "patch"}
)

func customResources(s *cluster.State) []Resource {
	var list []Resource
	for object := range s.List(definitions, "") {
		if crd, ok := object.Object.(*apiextensionsv1.CustomResourceDefinition); ok {
			list = append(list, versionsOf(crd)...)
		}
	}
	return list
}

// versionsOf are the resources of one definition: all its versions in their order, those
// that are not served as well (W-110).
func versionsOf(crd *apiextensionsv1.CustomResourceDefinition) []Resource {
	names := crd.Spec.Names
	gv := schema.GroupVersion{Group: crd.Spec.Group}
	storage := gv.WithKind(names.Kind)
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			storage.Version = v.Name
		}
	}
	var list []Resource
	for _, v := range crd.Spec.Versions {
		gv.Version = v.Name
		r := Resource{
			GroupVersionResource: gv.WithResource(names.Plural),
			Kind:                 gv.WithKind(names.Kind),
			Singular:             cmp.Or(names.Singular, strings.ToLower(names.Kind)),
			ShortNames:           names.ShortNames,
			Namespaced:           crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
			Served:               v.Served,
			Storage:              storage,
			Verbs:                customVerbs,
			Subresources:         map[string]Subresource{},
			CRD:                  crd,
			family:               names.Plural + "." + crd.Spec.Group,
		}
		if v.Subresources != nil && v.Subresources.Status != nil {
			r.Subresources["status"] = Subresource{Kind: r.Kind, Verbs: updateVerbs}
		}
		if v.Subresources != nil && v.Subresources.Scale != nil {
			r.Subresources["scale"] = Subresource{Kind: autoscalingv1.SchemeGroupVersion.WithKind("Scale"), Verbs: updateVerbs}
		}
		list = append(list, r)
	}
	return list
}

// Resource returns the resource of that name.
func (r *Resources) Resource(gvr schema.GroupVersionResource) (Resource, bool) {
	for _, x := range r.indexes() {
		if i, ok := x.byGVR[gvr]; ok {
			return x.list[i], true
		}
	}
	return Resource{}, false
}

// ForKind returns the resource whose objects are of that kind.
func (r *Resources) ForKind(gvk schema.GroupVersionKind) (Resource, bool) {
	for _, x := range r.indexes() {
		if i, ok := x.byGVK[gvk]; ok {
			return x.list[i], true
		}
	}
	return Resource{}, false
}

// KindFor returns the kind of the body of requests to a resource or subresource.
func (r *Resources) KindFor(gvr schema.GroupVersionResource, subresource string) (schema.GroupVersionKind, bool) {
	found, ok := r.Resource(gvr)
	if !ok || subresource == "" {
		return found.Kind, ok
	}
	s, ok := found.Subresources[subresource]
	return s.Kind, ok
}

// Equivalents returns the resources that are the same objects as gvr, itself included, as
// far as they have the subresource too; in the order of registration (W-107 to W-110).
func (r *Resources) Equivalents(gvr schema.GroupVersionResource, subresource string) []schema.GroupVersionResource {
	for _, x := range r.indexes() {
		i, ok := x.byGVR[gvr]
		if !ok {
			continue
		}
		var same []schema.GroupVersionResource
		for _, j := range x.families[x.list[i].family] {
			if _, has := x.list[j].Subresources[subresource]; has || subresource == "" {
				same = append(same, x.list[j].GroupVersionResource)
			}
		}
		return same
	}
	return nil
}

// All returns every resource.
func (r *Resources) All() []Resource { return slices.Concat(r.builtin.list, r.custom.list) }

func (r *Resources) indexes() []*index { return []*index{r.builtin, r.custom} }
