package snapshot

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A resource is something to list, in the first of its versions that is served.
type resource struct {
	group    string
	versions []string
	name     string

	within string // a namespace; empty: all
}

// resources lists what is read from every cluster. Definitions come first, since other objects may be of the kinds that
// they define.
var resources = []resource{
	{group: "apiextensions.k8s.io", versions: []string{"v1"}, name: "customresourcedefinitions"},
	{group: "", versions: []string{"v1"}, name: "namespaces"},
	{group: "admissionregistration.k8s.io", versions: []string{"v1"}, name: "mutatingwebhookconfigurations"},
	{group: "admissionregistration.k8s.io", versions: []string{"v1"}, name: "validatingwebhookconfigurations"},
	{group: "admissionregistration.k8s.io", versions: []string{"v1", "v1beta1", "v1alpha1"}, name: "validatingadmissionpolicies"},
	{group: "admissionregistration.k8s.io", versions: []string{"v1", "v1beta1", "v1alpha1"}, name: "validatingadmissionpolicybindings"},
	{group: "admissionregistration.k8s.io", versions: []string{"v1", "v1beta1", "v1alpha1"}, name: "mutatingadmissionpolicies"},
	{group: "admissionregistration.k8s.io", versions: []string{"v1", "v1beta1", "v1alpha1"}, name: "mutatingadmissionpolicybindings"},
	{group: "", versions: []string{"v1"}, name: "resourcequotas"},
	{group: "", versions: []string{"v1"}, name: "limitranges"},
	{group: "", versions: []string{"v1"}, name: "serviceaccounts"},
	{group: "storage.k8s.io", versions: []string{"v1"}, name: "storageclasses"},
	{group: "networking.k8s.io", versions: []string{"v1"}, name: "ingressclasses"},
	{group: "node.k8s.io", versions: []string{"v1", "v1beta1"}, name: "runtimeclasses"},
	{group: "scheduling.k8s.io", versions: []string{"v1"}, name: "priorityclasses"},
	{group: "rbac.authorization.k8s.io", versions: []string{"v1"}, name: "clusterroles"},
	{group: "rbac.authorization.k8s.io", versions: []string{"v1"}, name: "clusterrolebindings"},
	{group: "rbac.authorization.k8s.io", versions: []string{"v1"}, name: "roles"},
	{group: "rbac.authorization.k8s.io", versions: []string{"v1"}, name: "rolebindings"},
}

// String returns the name with the group, as kubectl writes it.
func (r resource) String() string {
	if r.group == "" {
		return r.name
	}
	return r.name + "." + r.group
}

func (r resource) apiVersion(version string) string {
	if r.group == "" {
		return version
	}
	return r.group + "/" + version
}

// path returns the path of the named resource; if name is empty, the path of the list of served resources.
func (r resource) path(version, name string) string {
	path := "/apis/" + r.group + "/" + version
	if r.group == "" {
		path = "/api/" + version
	}
	if r.within != "" {
		path += "/namespaces/" + r.within
	}
	if name != "" {
		path += "/" + name
	}
	return path
}

func (r resource) isRead() bool { return Reads(r.group, r.name) }

// Reads reports whether a snapshot has all objects of a resource.
func Reads(group, name string) bool {
	return slices.ContainsFunc(resources, func(o resource) bool { return o.group == group && o.name == name })
}

// A rule is a rule of an RBAC role.
type rule struct {
	APIGroups []string
	Resources []string
	Verbs     []string
}

// rules returns the permissions that a snapshot needs: to list, and to get the services of webhooks. The params of
// policies are not included, because only the policies say of which kinds they are.
func rules() []rule {
	groups := map[string][]string{"discovery.k8s.io": {"endpointslices"}}
	for _, r := range resources {
		groups[r.group] = append(groups[r.group], r.name)
	}
	var rules []rule
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		slices.Sort(groups[g])
		rules = append(rules, rule{APIGroups: []string{g}, Resources: groups[g], Verbs: []string{"list"}})
	}
	return append(rules, rule{APIGroups: []string{""}, Resources: []string{"services"}, Verbs: []string{"get"}})
}

// references collects what objects refer to and what is therefore needed, too.
type references struct {
	services []service
	params   []kind
}

type service struct {
	namespace, name string
	of              string // the first object that refers to it
}

type kind struct{ APIVersion, Kind string }

func (r *references) note(o Object) {
	switch o["kind"] {
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		webhooks, _ := o["webhooks"].([]any)
		for _, w := range webhooks {
			r.noteService(fmt.Sprintf("webhook %s/%s", text(at(o, "metadata", "name")), text(at(w, "name"))), at(w, "clientConfig", "service"))
		}
	case "CustomResourceDefinition":
		r.noteService("the conversion webhook of "+text(at(o, "metadata", "name")), at(o, "spec", "conversion", "webhook", "clientConfig", "service"))
	case "ValidatingAdmissionPolicy", "MutatingAdmissionPolicy":
		param, _ := at(o, "spec", "paramKind").(map[string]any)
		k := kind{text(param["apiVersion"]), text(param["kind"])}
		if k.Kind != "" && !slices.Contains(r.params, k) {
			r.params = append(r.params, k)
		}
	}
}

func (r *references) noteService(of string, v any) {
	m, _ := v.(map[string]any)
	s := service{text(m["namespace"]), text(m["name"]), of}
	known := slices.ContainsFunc(r.services, func(k service) bool { return k.namespace == s.namespace && k.name == s.name })
	if s.name != "" && !known {
		r.services = append(r.services, s)
	}
}

// at returns the value at a path of keys.
func at(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func nameOf(o Object) (namespace, name string) {
	return text(at(o, "metadata", "namespace")), text(at(o, "metadata", "name"))
}

// plural guesses the name of the resource of a kind, for file names: the name in resources, or else the usual plural.
func plural(apiVersion, kind string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		group = ""
	}
	name := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(name, "y") && !strings.HasSuffix(name, "ay"):
		name = strings.TrimSuffix(name, "y") + "ies"
	case strings.HasSuffix(name, "s"):
		name += "es"
	default:
		name += "s"
	}
	return resource{group: group, name: name}.String()
}
