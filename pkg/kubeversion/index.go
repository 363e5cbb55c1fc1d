package kubeversion

import "k8s.io/apimachinery/pkg/runtime/schema"

// A target is something that a request can be sent to.
type target struct {
	resource    schema.GroupVersionResource
	subresource string
}

// An index looks up served resources; its numbers are indices in Release.Resources.
type index struct {
	byResource map[schema.GroupVersionResource]int
	byKind     map[schema.GroupVersionKind]int
	namespaced map[schema.GroupVersionKind]bool // kinds served and kinds stored
	places     map[target]served
}

// served is what a target serves.
type served struct {
	kind        schema.GroupVersionKind
	equivalents *[]schema.GroupVersionResource // shared by all of them
}

func newIndex(resources []Resource) index {
	n := len(resources) // with subresources
	for _, r := range resources {
		n += len(r.Subresources)
	}
	x := index{
		byResource: make(map[schema.GroupVersionResource]int, len(resources)),
		byKind:     make(map[schema.GroupVersionKind]int, len(resources)),
		namespaced: make(map[schema.GroupVersionKind]bool, len(resources)),
		places:     make(map[target]served, n),
	}
	// Which resources are stored together, separately for every subresource (EQ-01, EQ-02).
	type store struct{ prefix, subresource string }
	stores := make(map[store]*[]schema.GroupVersionResource, n)
	register := func(r Resource, subresource string, kind schema.GroupVersionKind) {
		at := store{r.StoragePrefix, subresource}
		together := stores[at]
		if together == nil {
			together = new([]schema.GroupVersionResource)
			stores[at] = together
		}
		*together = append(*together, r.GroupVersionResource())
		x.places[target{r.GroupVersionResource(), subresource}] = served{kind, together}
	}
	for i, r := range resources {
		x.byResource[r.GroupVersionResource()] = i
		x.byKind[r.GroupVersionKind()] = i
		x.namespaced[r.GroupVersionKind()] = r.Namespaced
		x.namespaced[r.Storage] = r.Namespaced
		register(r, "", r.GroupVersionKind())
		for _, sub := range r.Subresources {
			register(r, sub.Name, sub.Kind)
		}
	}
	return x
}
