package catalog

import (
	"maps"
	"slices"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/discovery"
)

// Aggregated returns the answer of /apis that describes everything at once, or that of /api if core is set. version is
// the version of apidiscovery.k8s.io: v2, or v2beta1, which has the same form.
func (c *Catalog) Aggregated(version string, core bool) *apidiscoveryv2.APIGroupDiscoveryList {
	list := &apidiscoveryv2.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/" + version},
		Items:    []apidiscoveryv2.APIGroupDiscovery{},
	}
	for _, name := range c.groups {
		if (name == "") != core {
			continue
		}
		group := apidiscoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: name}}
		for _, version := range c.versions[name] {
			group.Versions = append(group.Versions, c.aggregatedVersion(schema.GroupVersion{Group: name, Version: version}))
		}
		list.Items = append(list.Items, group)
	}
	return list
}

func (c *Catalog) aggregatedVersion(gv schema.GroupVersion) apidiscoveryv2.APIVersionDiscovery {
	v := apidiscoveryv2.APIVersionDiscovery{Version: gv.Version, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent}
	for _, r := range c.served[gv] {
		resource := apidiscoveryv2.APIResourceDiscovery{
			Resource: r.Resource, ResponseKind: groupVersionKind(r.Kind, r), Scope: apidiscoveryv2.ScopeCluster,
			SingularResource: r.Singular, Verbs: verbsOf(r), ShortNames: r.ShortNames, Categories: c.categories(r),
		}
		if r.Namespaced {
			resource.Scope = apidiscoveryv2.ScopeNamespace
		}
		for _, name := range slices.Sorted(maps.Keys(r.Subresources)) {
			sub := r.Subresources[name]
			resource.Subresources = append(resource.Subresources, apidiscoveryv2.APISubresourceDiscovery{
				Subresource: name, ResponseKind: groupVersionKind(sub.Kind, r), Verbs: subresourceVerbs(sub),
			})
		}
		v.Resources = append(v.Resources, resource)
	}
	return v
}

// groupVersionKind returns a kind as aggregated discovery describes it. Built-in resources name group and version only
// if they differ from the resource's own, custom resources always.
func groupVersionKind(kind schema.GroupVersionKind, r discovery.Resource) *metav1.GroupVersionKind {
	if r.CRD == nil && kind.GroupVersion() == r.GroupVersionResource.GroupVersion() {
		return &metav1.GroupVersionKind{Kind: kind.Kind}
	}
	return &metav1.GroupVersionKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind}
}
