package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/discovery"
)

// kindHint helps with a kind that is not served: another version of it may be, or one
// with nearly that name.
func kindHint(kind schema.GroupVersionKind, r *discovery.Resources) string {
	var versions, near, elsewhere []string
	for _, known := range r.All() {
		switch {
		case !known.Served:
		case known.Kind.GroupKind() == kind.GroupKind():
			versions = append(versions, known.Kind.GroupVersion().String())
		case known.Kind.Group == kind.Group:
			near = append(near, known.Kind.Kind)
		case known.Kind.Kind == kind.Kind:
			elsewhere = append(elsewhere, known.Kind.GroupVersion().String())
		}
	}
	switch {
	case len(versions) > 0:
		return "it is served as " + strings.Join(versions, ", ")
	case len(elsewhere) > 0:
		return fmt.Sprintf("did you mean %s of %s?", kind.Kind, elsewhere[0])
	case len(near) == 0:
		return "is its CustomResourceDefinition missing?"
	}
	return didYouMean(kind.Kind, near)
}

// resourceNamed finds a resource of which group or version may be left out: the first
// that the cluster lists, one of the group without a name before others.
func resourceNamed(r *discovery.Resources, name schema.GroupVersionResource) (discovery.Resource, bool) {
	var found discovery.Resource
	for _, known := range r.All() {
		if !known.Served || known.GroupVersionResource.Resource != name.Resource ||
			(name.Version != "" && known.Version != name.Version) || (name.Group != "" && known.Group != name.Group) {
			continue
		}
		if known.Group == name.Group {
			return known, true
		}
		if found.GroupVersionResource.Resource == "" {
			found = known
		}
	}
	return found, found.GroupVersionResource.Resource != ""
}

// resourceHint helps with a resource that is not served.
func resourceHint(name schema.GroupVersionResource, r *discovery.Resources) string {
	var names []string
	for _, known := range r.All() {
		plural := known.GroupVersionResource.Resource
		if !known.Served {
			continue
		}
		if known.Singular == strings.ToLower(name.Resource) || slices.Contains(known.ShortNames, name.Resource) {
			return fmt.Sprintf("did you mean %q?", plural)
		}
		if plural == name.Resource {
			return fmt.Sprintf("did you mean %q?", strings.TrimSuffix(plural+"."+known.Group, "."))
		}
		names = append(names, plural)
	}
	return didYouMean(name.Resource, names)
}

// subresourceHint lists what a resource has.
func subresourceHint(r discovery.Resource) string {
	known := slices.Sorted(maps.Keys(r.Subresources))
	if len(known) == 0 {
		return fmt.Sprintf("%s have no subresources", r.GroupVersionResource.Resource)
	}
	return "there is " + strings.Join(known, ", ")
}
