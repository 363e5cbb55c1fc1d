package space

import (
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/discovery"
)

// An Endpoint is an operation on a resource in a version, or on one of its subresources.
type Endpoint struct {
	Operation   admissionv1.Operation
	Resource    schema.GroupVersionResource
	Subresource string
	Kind        schema.GroupVersionKind // of the body
	Namespaced  bool

	served []bool // by world
	crd    *apiextensionsv1.CustomResourceDefinition
}

// operations lists the verbs for each operation, in the order in which people name them.
var operations = []struct {
	is    admissionv1.Operation
	verbs []string
}{
	{admissionv1.Create, []string{"create"}},
	{admissionv1.Update, []string{"update", "patch"}},
	{admissionv1.Delete, []string{"delete", "deletecollection"}},
	{admissionv1.Connect, []string{"connect"}},
}

// endpointsOf lists what at least one of the worlds serves, in the order of the resources.
func endpointsOf(worlds []World) (all []Endpoint) {
	type key struct {
		operation   admissionv1.Operation
		resource    schema.GroupVersionResource
		subresource string
	}
	known := map[key]int{}
	for i, w := range worlds {
		add := func(r discovery.Resource, subresource string, kind schema.GroupVersionKind, verbs []string) {
			for _, o := range operations {
				if !slices.ContainsFunc(o.verbs, func(verb string) bool { return slices.Contains(verbs, verb) }) {
					continue
				}
				k := key{o.is, r.GroupVersionResource, subresource}
				at, ok := known[k]
				if !ok {
					at = len(all)
					known[k] = at
					all = append(all, Endpoint{
						Operation: o.is, Resource: r.GroupVersionResource, Subresource: subresource, Kind: kind,
						Namespaced: r.Namespaced, served: make([]bool, len(worlds)), crd: r.CRD,
					})
				}
				all[at].served[i] = true
			}
		}
		for _, r := range w.Resources.All() {
			if !r.Served {
				continue
			}
			add(r, "", r.Kind, r.Verbs)
			for _, name := range sortedKeys(r.Subresources) {
				sub := r.Subresources[name]
				add(r, name, sub.Kind, sub.Verbs)
			}
		}
	}
	return all
}

// Served reports whether a world serves the endpoint.
func (e *Endpoint) Served(world int) bool { return e.served[world] }

// Resources returns the resources that have endpoints, each once.
func (s *Space) Resources() (all []schema.GroupResource) {
	seen := map[schema.GroupResource]bool{}
	for i := range s.endpoints {
		if r := s.endpoints[i].Resource.GroupResource(); !seen[r] {
			seen[r] = true
			all = append(all, r)
		}
	}
	return all
}

// Serves reports whether there is an endpoint of a resource, or of a subresource of it. * stands for any.
func (s *Space) Serves(r schema.GroupResource, subresource string) bool {
	is := func(pattern, name string) bool { return pattern == name || pattern == "*" && name != "" }
	return slices.ContainsFunc(s.endpoints, func(e Endpoint) bool {
		return is(r.Resource, e.Resource.Resource) && (r.Group == e.Resource.Group || r.Group == "*") && is(subresource, e.Subresource)
	})
}

// isNamespace reports whether the endpoint is about namespaces, whose name is also their namespace (W-012).
func (e *Endpoint) isNamespace() bool {
	return e.Resource.Group == "" && e.Resource.Resource == "namespaces"
}

// inNamespace reports whether requests have a namespace.
func (e *Endpoint) inNamespace() bool { return e.Namespaced || e.isNamespace() }

// A subject says whose labels a selector is about.
type subject uint8

const (
	ofNamespace subject = iota
	ofObject
	ofOldObject
)

// A source says where these labels are found.
type source uint8

const (
	nowhere  source = iota // there is no object, or it has no metadata (W-098, W-099)
	notAsked               // the selector does not matter (W-091)
	missing                // there is no name to look it up by
	stored                 // the namespace of the request, as stored in the cluster
	current                // the object, or the old object if there is no other
	before                 // the old object beside the new one
	sources                // the number of sources
)

// source returns where the labels of a subject are found.
func (e *Endpoint) source(of subject) source {
	changes := e.Operation == admissionv1.Create || e.Operation == admissionv1.Update
	switch of {
	case ofNamespace:
		called := e.Resource.Resource == "namespaces" // W-096
		switch {
		case !e.Namespaced && !called:
			return notAsked
		case called && e.Subresource == "" && changes: // W-092
			return current
		case !e.inNamespace():
			return missing
		}
		return stored
	case ofObject:
		if changes {
			return current
		}
	case ofOldObject:
		switch {
		case e.Operation != admissionv1.Update && e.Operation != admissionv1.Delete:
			return nowhere
		case e.isNamespace():
			return stored
		case e.Operation == admissionv1.Update:
			return before
		}
		return current
	}
	return nowhere
}

// request returns a request to the endpoint, with the fields that rules look at.
func (e *Endpoint) request(name string) admission.Request {
	req := admission.Request{Operation: e.Operation, Resource: e.Resource, Subresource: e.Subresource, Kind: e.Kind, Name: name}
	switch {
	case e.isNamespace():
		req.Namespace = name
	case e.Namespaced:
		req.Namespace = "any"
	}
	return req
}
