package rest

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/rest/change"
)

// begin starts the write of an object: kinds with allocations get them, or are refused, before anything else is
// checked. old is nil on create.
func (x *exchange) begin(object, old runtime.Object) (runtime.Object, objects.Write, error) {
	x.dropped = nil
	write := x.write()
	service, ok := object.(*corev1.Service)
	if !ok || x.req.Subresource != "" {
		return object, write, nil
	}
	a := &change.Allocation{
		Service: service, DryRun: x.dryRun(), State: x.state, Types: x.server.Types, Release: x.server.release(), Now: x.server.Now(),
	}
	a.Old, _ = old.(*corev1.Service)
	write.Families = a.Families
	allocated, wrong, err := x.server.Types.Allocate(service, a.Old, a, write)
	switch {
	case len(wrong) > 0:
		return nil, write, x.invalid(service, wrong)
	case err != nil:
		return nil, write, refuse(err)
	}
	return allocated, write, nil
}
