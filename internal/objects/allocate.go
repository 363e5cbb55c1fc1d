package objects

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Allocate gives a service that is written the addresses and ports that it needs, and makes interdependent fields
// consistent. The server does this before all other checks (PL-08). old is nil on create. Errors in wrong end the
// write, and so does err, which is an answer of the server that is not about a field.
func (t *Types) Allocate(s, old *corev1.Service, from rules.Allocator, w rules.Write) (allocated *corev1.Service, wrong field.ErrorList, err error) {
	var before runtime.Object
	if old != nil {
		before = old
	}
	if !t.options.Release.Has(kubeversion.ServicesAllocatedFirst) {
		// Only a valid service gets any, and fields whose gates are off are gone before it is checked.
		k, err := t.newTyped(serviceKind, true)
		if err != nil {
			return nil, nil, err
		}
		s = s.DeepCopy()
		k.like(s, before, w, true, func() runtime.Object { return s })
	}
	obj, wrong, err := t.hubs[serviceKind].AllocateFor(s, before, from, rules.Request{Write: w, Options: t.options, Namespaced: true})
	allocated, _ = obj.(*corev1.Service)
	return allocated, wrong, err
}

var serviceKind = corev1.SchemeGroupVersion.WithKind("Service")
