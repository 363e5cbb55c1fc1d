package rest

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
)

// ephemeralContainersView shows a pod as its ephemeral containers, as releases up to 1.21 do.
func ephemeralContainersView(pod *corev1.Pod) view {
	return view{
		shown: objects.EphemeralContainersOf(pod),
		show: func(object runtime.Object) (runtime.Object, error) {
			pod, ok := object.(*corev1.Pod)
			if !ok {
				return nil, badRequest("expected a Pod, but %T", object)
			}
			return objects.EphemeralContainersOf(pod), nil
		},
		putBack: func(shown runtime.Object) (runtime.Object, error) {
			out, ok := objects.WithEphemeralContainers(pod, shown)
			if !ok {
				return nil, badRequest("unexpected type, expected *core.EphemeralContainers, got %T", shown)
			}
			return out, nil
		},
	}
}
