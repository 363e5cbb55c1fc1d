// Package kubeversion describes Kubernetes releases: the admission plugins of a release and their order, the resources
// and subresources that it serves, and the feature gates that change what admission does.
//
// Start with [Parse]. [Release.With] returns a release whose server was started with other flags. A [Feature] is a
// smaller difference between releases; the variables of that type are for the packages of admsim that check for them.
//
// Each release is a file. 1.37 is written out in full, and each other release as its differences from its neighbour.
package kubeversion

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Release is the kube-apiserver of one minor version. It is immutable, and [Parse] returns the same one each time for
// the same version.
type Release struct {
	Version   string     // 1.36
	Minor     int        // 36
	Plugins   []Plugin   // in chain order
	Resources []Resource // those served, in the order in which the server installs them

	gates       map[string]bool   // those that matter here, with their current values
	fieldGates  map[string]bool   // those of fields of objects, with their current values
	pluginGates map[string]string // gates of plugins that do nothing without one
	offered     []Resource        // resources that are or could be served
	flags       Flags             // set by With
	early       bool              // a patch release without what later ones brought
	index       func() index      // built when something is first looked up
}

// Enabled reports whether a feature gate is on. A gate that the release does not have is off.
func (r *Release) Enabled(gate string) bool {
	on, _ := r.Gate(gate)
	return on
}

// Disabled reports whether the release has a feature gate, and has it off.
func (r *Release) Disabled(gate string) bool {
	on, ok := r.Gate(gate)
	return ok && !on
}

// Gate reports whether a feature gate is on; ok is false if the release does not have the gate.
func (r *Release) Gate(name string) (on, ok bool) {
	if on, ok = r.gates[name]; ok {
		return on, true
	}
	if on, ok = r.fieldGates[name]; ok {
		return on, true
	}
	return r.otherGate(name)
}

// OffByDefault reports whether a feature gate is off unless a flag says otherwise.
func (r *Release) OffByDefault(gate string) bool {
	stage, ok := knownGate(gate, r.Minor)
	return !ok || !stage.on
}

// GateOn reports whether a feature gate of the server is on. Unlike [Release.Enabled] it also knows gates that change
// nothing about admission.
func (r *Release) GateOn(name string) bool {
	if on, ok := r.Gate(name); ok {
		return on
	}
	if on, ok := r.flags.FeatureGates[name]; ok {
		return on
	}
	stage, ok := knownGate(name, r.Minor)
	return ok && stage.on
}

// Resource returns the resource of that name, if it is served.
func (r *Release) Resource(gvr schema.GroupVersionResource) (Resource, bool) {
	i, ok := r.index().byResource[gvr]
	if !ok {
		return Resource{}, false
	}
	return r.Resources[i], true
}

// ForKind returns the resource whose objects have that kind, if it is served.
func (r *Release) ForKind(gvk schema.GroupVersionKind) (Resource, bool) {
	i, ok := r.index().byKind[gvk]
	if !ok {
		return Resource{}, false
	}
	return r.Resources[i], true
}

// Namespaced reports whether objects of a kind belong to namespaces. ok is false for a kind that the release neither
// serves nor stores.
func (r *Release) Namespaced(gvk schema.GroupVersionKind) (namespaced, ok bool) {
	namespaced, ok = r.index().namespaced[gvk]
	return namespaced, ok
}

// KindFor returns the kind of the body of requests to gvr, or to one of its subresources.
func (r *Release) KindFor(gvr schema.GroupVersionResource, subresource string) (schema.GroupVersionKind, bool) {
	at, ok := r.index().places[target{gvr, subresource}]
	return at.kind, ok
}

// Equivalents returns the served resources that are stored in the same place as gvr and have the same subresource,
// including gvr, in the order in which the server installs them (W-107 to W-109). The slice is shared.
func (r *Release) Equivalents(gvr schema.GroupVersionResource, subresource string) []schema.GroupVersionResource {
	at, ok := r.index().places[target{gvr, subresource}]
	if !ok {
		return nil
	}
	return *at.equivalents
}

// serve determines which plugins are on and which resources are served, and completes the release.
func (r *Release) serve() *Release {
	for i, p := range r.Plugins {
		if gate, ok := r.pluginGates[p.Name]; ok {
			r.Plugins[i].Default = r.gates[gate]
		}
	}
	r.Resources = nil
	for _, resource := range r.offered {
		if r.serves(resource) {
			r.Resources = append(r.Resources, r.withoutGated(resource))
		}
	}
	r.index = sync.OnceValue(func() index { return newIndex(r.Resources) })
	return r
}

func (r *Release) serves(resource Resource) bool {
	if resource.gate != "" && !r.Enabled(resource.gate) {
		return false
	}
	if asked, ok := r.runtimeConfig(resource); ok {
		return asked
	}
	return !resource.off
}

// withoutGated returns the resource without subresources whose gate is off.
func (r *Release) withoutGated(resource Resource) Resource {
	off := func(_ string, s Subresource) bool { return s.gate != "" && !r.Enabled(s.gate) }
	for name, s := range resource.Subresources {
		if off(name, s) {
			resource.Subresources = maps.Clone(resource.Subresources)
			maps.DeleteFunc(resource.Subresources, off)
			break
		}
	}
	return resource
}

// copied returns a copy, to be changed and completed with [Release.serve].
func (r *Release) copied() *Release {
	return &Release{
		Version:     r.Version,
		Minor:       r.Minor,
		Plugins:     slices.Clone(r.Plugins),
		gates:       maps.Clone(r.gates),
		fieldGates:  maps.Clone(r.fieldGates),
		pluginGates: maps.Clone(r.pluginGates),
		offered:     slices.Clone(r.offered),
		flags:       r.flags,
		early:       r.early,
	}
}

// asEarly returns the first patch releases of the minor version.
func (r *Release) asEarly() *Release {
	before := r.copied()
	before.early = true
	return before.serve()
}
