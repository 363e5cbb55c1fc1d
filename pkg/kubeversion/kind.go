package kubeversion

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Registers reports whether the server can read a kind: those of resources that came later are unknown to it. Servers still
// know the kinds of resources that they no longer serve.
func (r *Release) Registers(kind schema.GroupVersionKind) bool {
	return r.offers(kind) || !r.laterOffers(kind)
}

// laterOffers reports whether a later release could serve a kind. A kind that is gone never comes back, so if this release
// does not offer it and a later one does, earlier ones do not either.
func (r *Release) laterOffers(kind schema.GroupVersionKind) bool {
	for _, one := range releases { // newest first; each is made from the one before it in this list
		later := one.release()
		if later.Minor <= r.Minor {
			break
		}
		if later.offers(kind) {
			return true
		}
	}
	return false
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
