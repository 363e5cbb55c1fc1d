package discovery

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/admsim/admsim/pkg/cluster"
)

var (
	crdKind = apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition").GroupKind()
	scale   = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}

	customVerbs      = []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
	subresourceVerbs = []string{"get", "patch", "update"}
)

// custom holds what one CRD defines.
type custom struct {
	crd         *apiextensionsv1.CustomResourceDefinition
	versions    []Resource // as listed, served or not
	equivalents map[string][]schema.GroupVersionResource
}

// newCustom registers every version of the CRD in list order, including those not served,
// each with its subresources (W-110):
// kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go.
func newCustom(crd *apiextensionsv1.CustomResourceDefinition) *custom {
	c := &custom{crd: crd, equivalents: map[string][]schema.GroupVersionResource{}}
	names, storage := crd.Spec.Names, storageVersion(crd)
	if names.Singular == "" {
		names.Singular = strings.ToLower(names.Kind)
	}
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		gv := schema.GroupVersion{Group: crd.Spec.Group, Version: v.Name}
		r := Resource{
			GroupVersionResource: gv.WithResource(names.Plural),
			Kind:                 gv.WithKind(names.Kind),
			Singular:             names.Singular,
			ShortNames:           names.ShortNames,
			Namespaced:           crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
			Served:               v.Served,
			Verbs:                customVerbs,
			Subresources:         subresources(v, gv.WithKind(names.Kind)),
			Storage:              schema.GroupVersionKind{Group: gv.Group, Version: storage, Kind: names.Kind},
			StoragePrefix:        crd.Spec.Group + "/" + names.Plural,
			CRD:                  crd,
		}
		c.versions = append(c.versions, r)
		c.equivalents[""] = append(c.equivalents[""], r.GroupVersionResource)
		for name := range r.Subresources {
			c.equivalents[name] = append(c.equivalents[name], r.GroupVersionResource)
		}
	}
	return c
}

func subresources(v *apiextensionsv1.CustomResourceDefinitionVersion, kind schema.GroupVersionKind) map[string]Subresource {
	subs := map[string]Subresource{}
	if v.Subresources == nil {
		return subs
	}
	if v.Subresources.Status != nil {
		subs["status"] = Subresource{Name: "status", Kind: kind, Verbs: subresourceVerbs}
	}
	if v.Subresources.Scale != nil {
		subs["scale"] = Subresource{Name: "scale", Kind: scale, Verbs: subresourceVerbs}
	}
	return subs
}

func storageVersion(crd *apiextensionsv1.CustomResourceDefinition) string {
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

func (c *custom) version(name string) (Resource, bool) {
	for _, r := range c.versions {
		if r.Version == name {
			return r, true
		}
	}
	return Resource{}, false
}

// preferred returns the versions as the server's discovery orders them: v1 before v1beta1.
func (c *custom) preferred() []Resource {
	return slices.SortedStableFunc(slices.Values(c.versions), func(a, b Resource) int {
		return version.CompareKubeAwareVersionStrings(b.Version, a.Version)
	})
}

// defined returns what the CRD of that resource defines, or nil if no such CRD exists.
func (rs *Resources) defined(gr schema.GroupResource) *custom {
	name := gr.Resource + "." + gr.Group
	if c, ok := rs.custom.Load(name); ok {
		return c.(*custom)
	}
	crd, ok := cluster.Get[*apiextensionsv1.CustomResourceDefinition](rs.state, crdKind, "", name)
	if !ok || crd.Spec.Group != gr.Group || crd.Spec.Names.Plural != gr.Resource || lacksNames(crd) {
		return nil
	}
	c, _ := rs.custom.LoadOrStore(name, newCustom(crd))
	return c.(*custom)
}

// lacksNames reports whether a CRD is not served because another one already uses some of its names. A CRD without such
// conditions in its status is served.
func lacksNames(crd *apiextensionsv1.CustomResourceDefinition) bool {
	refused := false
	for _, c := range crd.Status.Conditions {
		if c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue {
			return false
		}
		refused = refused || c.Type == apiextensionsv1.NamesAccepted && c.Status == apiextensionsv1.ConditionFalse
	}
	return refused
}

// customKinds returns the definitions of all CRDs by kind.
func (rs *Resources) customKinds() map[string][]*custom {
	kinds := map[string][]*custom{}
	for o := range rs.state.List(crdKind, "") {
		crd, ok := o.Object.(*apiextensionsv1.CustomResourceDefinition)
		if !ok {
			continue
		}
		gr := schema.GroupResource{Group: crd.Spec.Group, Resource: crd.Spec.Names.Plural}
		if c := rs.defined(gr); c != nil {
			kinds[crd.Spec.Names.Kind] = append(kinds[crd.Spec.Names.Kind], c)
		}
	}
	return kinds
}
