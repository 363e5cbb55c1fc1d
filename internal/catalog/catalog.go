// Package catalog writes the documents in which an API server lists what it serves: its groups and versions, and the
// resources of each. They come in the original form ([Catalog.Groups] and [Catalog.Resources]) and in the form that
// describes everything at once ([Catalog.Aggregated]).
//
// The package knows no HTTP. Package discovery knows which resources exist.
package catalog

import (
	"cmp"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Catalog describes the resources of one cluster at one time. It does not change.
type Catalog struct {
	release  *kubeversion.Release
	groups   []string                                     // in the order of the list
	versions map[string][]string                          // by group, the preferred version first
	served   map[schema.GroupVersion][]discovery.Resource // sorted by name
}

// New returns the catalog of resources that a server of a release has.
func New(release *kubeversion.Release, resources *discovery.Resources) *Catalog {
	c := &Catalog{release: release, versions: map[string][]string{}, served: map[schema.GroupVersion][]discovery.Resource{}}
	custom := map[string]bool{}
	for _, r := range resources.All() {
		if !r.Served {
			continue
		}
		gv := r.GroupVersionResource.GroupVersion()
		if _, known := c.versions[gv.Group]; !known {
			c.groups = append(c.groups, gv.Group)
			custom[gv.Group] = r.CRD != nil
		}
		if c.served[gv] == nil {
			c.versions[gv.Group] = append(c.versions[gv.Group], gv.Version)
		}
		if r.CRD == nil && !release.Has(kubeversion.SingularNames) {
			r.Singular = ""
		}
		c.served[gv] = append(c.served[gv], r)
	}
	for group := range custom {
		if custom[group] {
			slices.SortFunc(c.versions[group], func(a, b string) int { return version.CompareKubeAwareVersionStrings(b, a) })
		}
	}
	slices.SortFunc(c.groups, func(a, b string) int { return cmp.Or(cmp.Compare(c.priority(b), c.priority(a)), cmp.Compare(a, b)) })
	for _, list := range c.served {
		slices.SortFunc(list, func(a, b discovery.Resource) int { return cmp.Compare(a.Resource, b.Resource) })
	}
	return c
}

// priority returns the priority of a group, which decides about its place: kubernetes/kube-aggregator:pkg/apiserver/handler_apis.go.
func (c *Catalog) priority(group string) (highest int32) {
	if group == "apiregistration.k8s.io" {
		return 17999 // no APIService has it: it is listed first, after the core group
	}
	for _, version := range c.versions[group] {
		priority, _, _ := c.release.Priority(schema.GroupVersion{Group: group, Version: version})
		highest = max(highest, priority)
	}
	return highest
}

// Serves reports whether a group version has any resources.
func (c *Catalog) Serves(gv schema.GroupVersion) bool { return c.served[gv] != nil }

// GroupVersions returns all served group versions in order.
func (c *Catalog) GroupVersions() (all []schema.GroupVersion) {
	for _, group := range c.groups {
		for _, version := range c.versions[group] {
			all = append(all, schema.GroupVersion{Group: group, Version: version})
		}
	}
	return all
}

// Served returns the resources of a group version, sorted by name.
func (c *Catalog) Served(gv schema.GroupVersion) []discovery.Resource { return c.served[gv] }

// Core returns the answer of /api.
func (c *Catalog) Core(address string) *metav1.APIVersions {
	return &metav1.APIVersions{
		TypeMeta:                   metav1.TypeMeta{Kind: "APIVersions"},
		Versions:                   c.versions[""],
		ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: address}},
	}
}

// Groups returns the answer of /apis.
func (c *Catalog) Groups() *metav1.APIGroupList {
	list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{}}
	for _, name := range c.groups {
		if name != "" {
			list.Groups = append(list.Groups, c.group(name))
		}
	}
	return list
}

// Group returns the answer of /apis/GROUP.
func (c *Catalog) Group(name string) (group *metav1.APIGroup, ok bool) {
	if len(c.versions[name]) == 0 || name == "" {
		return nil, false
	}
	found := c.group(name)
	found.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
	return &found, true
}

func (c *Catalog) group(name string) metav1.APIGroup {
	group := metav1.APIGroup{Name: name}
	for _, version := range c.versions[name] {
		gv := schema.GroupVersion{Group: name, Version: version}
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: version})
	}
	group.PreferredVersion = group.Versions[0]
	return group
}

// Resources returns the answer of /api/VERSION and /apis/GROUP/VERSION.
func (c *Catalog) Resources(gv schema.GroupVersion) (list *metav1.APIResourceList, ok bool) {
	served, ok := c.served[gv]
	if !ok {
		return nil, false
	}
	list = &metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: gv.String(), APIResources: []metav1.APIResource{}}
	if gv.Group != "" && gv.Group != "extensions" { // kubernetes/apiserver:pkg/endpoints/discovery/util.go, keepUnversioned
		list.APIVersion = "v1"
	}
	hashed := c.release.Enabled("StorageVersionHash")
	for _, r := range served {
		resource := metav1.APIResource{
			Name: r.Resource, SingularName: r.Singular, Namespaced: r.Namespaced, Kind: r.Kind.Kind,
			Verbs: verbsOf(r), ShortNames: r.ShortNames, Categories: c.categories(r),
		}
		if hashed && slices.Contains(resource.Verbs, "update") { // others are not stored
			resource.StorageVersionHash = hash(inEtcd(c.release, r))
		}
		list.APIResources = append(list.APIResources, resource)
		for _, name := range slices.Sorted(maps.Keys(r.Subresources)) {
			sub := r.Subresources[name]
			subresource := metav1.APIResource{Name: r.Resource + "/" + name, Namespaced: r.Namespaced, Kind: sub.Kind.Kind, Verbs: subresourceVerbs(sub)}
			if namesVersion(r, sub) {
				subresource.Group, subresource.Version = sub.Kind.Group, sub.Kind.Version
			}
			list.APIResources = append(list.APIResources, subresource)
		}
	}
	return list, true
}

// customVerbs are the verbs of custom resources in the order in which they are listed:
// kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_discovery_controller.go.
var customVerbs = []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}

// verbsOf returns the verbs of a resource. Only those of built-in resources are sorted.
func verbsOf(r discovery.Resource) []string {
	verbs := sortedVerbs(r.Verbs)
	if r.CRD == nil {
		return verbs
	}
	slices.SortStableFunc(verbs, func(a, b string) int { return slices.Index(customVerbs, a) - slices.Index(customVerbs, b) })
	return verbs
}

func sortedVerbs(verbs []string) []string {
	all := append([]string{}, verbs...) // never null
	if slices.Contains(all, "list") && slices.Contains(all, "create") && !slices.Contains(all, "watch") {
		all = append(all, "watch")
	}
	slices.Sort(all)
	return all
}

// subresourceVerbs returns the verbs of a subresource. For one that connects they depend on its methods.
func subresourceVerbs(sub discovery.Subresource) []string {
	if !slices.Contains(sub.Verbs, "connect") {
		return sortedVerbs(sub.Verbs)
	}
	if sub.Name == "proxy" {
		return []string{"create", "delete", "get", "patch", "update"}
	}
	return []string{"create", "get"}
}

// namesVersion reports whether a subresource is listed with the group and version of its kind. Those of a Scale are, even
// if they are the resource's own: kubernetes/kubernetes:pkg/registry/apps/deployment/storage/storage.go.
func namesVersion(r discovery.Resource, sub discovery.Subresource) bool {
	return sub.Kind.GroupVersion() != r.GroupVersionResource.GroupVersion() || sub.Name == "scale" && r.Resource != "replicationcontrollers"
}

// categories returns the names under which clients find several resources together.
func (c *Catalog) categories(r discovery.Resource) []string {
	if r.CRD != nil {
		return r.CRD.Spec.Names.Categories
	}
	names := builtInCategories[r.GroupResource()]
	if slices.Contains(names, "api-extensions") && !c.release.Has(kubeversion.APIExtensionsCategory) {
		return nil
	}
	return names
}

var builtInCategories = map[schema.GroupResource][]string{
	{Resource: "pods"}:                                                                     {"all"},
	{Resource: "replicationcontrollers"}:                                                   {"all"},
	{Resource: "services"}:                                                                 {"all"},
	{Group: "apps", Resource: "daemonsets"}:                                                {"all"},
	{Group: "apps", Resource: "deployments"}:                                               {"all"},
	{Group: "apps", Resource: "replicasets"}:                                               {"all"},
	{Group: "apps", Resource: "statefulsets"}:                                              {"all"},
	{Group: "autoscaling", Resource: "horizontalpodautoscalers"}:                           {"all"},
	{Group: "batch", Resource: "cronjobs"}:                                                 {"all"},
	{Group: "batch", Resource: "jobs"}:                                                     {"all"},
	{Group: "apiregistration.k8s.io", Resource: "apiservices"}:                             {"api-extensions"},
	{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}:                 {"api-extensions"},
	{Group: "admissionregistration.k8s.io", Resource: "mutatingadmissionpolicies"}:         {"api-extensions"},
	{Group: "admissionregistration.k8s.io", Resource: "mutatingadmissionpolicybindings"}:   {"api-extensions"},
	{Group: "admissionregistration.k8s.io", Resource: "mutatingwebhookconfigurations"}:     {"api-extensions"},
	{Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicies"}:       {"api-extensions"},
	{Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicybindings"}: {"api-extensions"},
	{Group: "admissionregistration.k8s.io", Resource: "validatingwebhookconfigurations"}:   {"api-extensions"},
}
