package rest

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A view is the form of an object that the client and admission see if a subresource shows something other than the
// object itself, such as a Scale.
type view struct {
	shown   runtime.Object
	show    func(object runtime.Object) (runtime.Object, error)
	putBack func(shown runtime.Object) (object runtime.Object, err error)
}

// viewOf returns the view of current for the subresource of the request.
func (x *exchange) viewOf(current runtime.Object) (view, error) {
	if x.req.Subresource == "scale" {
		return x.scaleView(current)
	}
	if pod, ok := current.(*corev1.Pod); ok && x.kind.Kind == "EphemeralContainers" {
		return ephemeralContainersView(pod), nil
	}
	same := func(o runtime.Object) (runtime.Object, error) { return o, nil }
	return view{shown: current, show: same, putBack: same}, nil
}
