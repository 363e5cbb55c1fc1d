package kubeversion

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Registers reports whether the server can read a kind: those of resources that came later are unknown to it. Servers still
// know the kinds of resources that they no longer serve.
func (r *Release) Registers(kind schema.GroupVersionKind) bool {
	return r.offers(kind) || firstMinors()[kind] <= r.Minor // in this order: the latter builds all releases
}

// offers reports whether the release could serve a kind as a resource or subresource.
func (r *Release) offers(kind schema.GroupVersionKind) bool {
	return slices.ContainsFunc(r.offered, func(resource Resource) bool {
		if resource.GroupVersionKind() == kind {
			return true
		}
		for _, sub := range resource.Subresources {
			if sub.Kind == kind {
				return true
			}
		}
		return false
	})
}

// firstMinors returns the minor version of the first release that could serve a kind as a resource or subresource.
var firstMinors = sync.OnceValue(func() map[schema.GroupVersionKind]int {
	first := map[schema.GroupVersionKind]int{}
	for _, one := range releases { // the newest comes first
		r := one.release()
		for _, resource := range r.offered {
			first[resource.GroupVersionKind()] = r.Minor
			for _, sub := range resource.Subresources {
				first[sub.Kind] = r.Minor
			}
		}
	}
	return first
})
