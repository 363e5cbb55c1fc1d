package rest

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/rest/change"
)

// ownership returns what tracks the owners of the fields that the request writes.
func (x *exchange) ownership() change.Owners {
	return change.Owners{
		Resource:    x.resource,
		Requested:   x.req.Resource,
		Subresource: x.req.Subresource,
		Kind:        x.kind,
		Key:         x.key(x.req.Name),
		UserAgent:   x.req.UserAgent,
		Now:         x.server.Now(),
		Dropped:     x.unversioned || x.ownerless && x.req.Verb == Update, // no manager can convert what has no version (PL-24a)
		State:       x.state,
		Types:       x.server.Types,
		Release:     x.server.release(),
	}
}

// repairMetadata repairs the metadata of an object after the mutating phase, which began with before, and warns of it.
func (x *exchange) repairMetadata(object, before runtime.Object) (runtime.Object, error) {
	repaired, warnings, err := change.RepairMetadata(object, before, x.owners)
	for _, w := range warnings {
		x.warnings.Add(w)
	}
	return repaired, err
}
