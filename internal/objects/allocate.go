package objects

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Allocate gives a service that is written the addresses and ports that it needs, and makes interdependent fields
// consistent. The server does this before all other checks (PL-08). old is nil on create. Errors in wrong end the
// write, and so does err, which is an answer of the server that is not about a field.
func (t *Types) Allocate(s, old *corev1.Service, from rules.Allocator, w rules.Write) (allocated *corev1.Service, wrong field.ErrorList, err error) {
	var before runtime.Object
	if old != nil {
		before = old
	}
	obj, wrong, err := t.hubs[serviceKind].AllocateFor(s, before, from, rules.Request{Write: w, Options: t.options, Namespaced: true})
	allocated, _ = obj.(*corev1.Service)
	return allocated, wrong, err
}

var serviceKind = corev1.SchemeGroupVersion.WithKind("Service")
