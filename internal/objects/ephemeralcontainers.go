package objects

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/builtin"
)

// EphemeralContainersOf returns the ephemeral containers of a pod:
// kubernetes/kubernetes:pkg/registry/core/pod/storage/storage.go, of those releases.
func EphemeralContainersOf(pod *corev1.Pod) *builtin.EphemeralContainers {
	containers := pod.DeepCopy().Spec.EphemeralContainers
	if containers == nil {
		containers = []corev1.EphemeralContainer{}
	}
	return &builtin.EphemeralContainers{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "EphemeralContainers"},
		ObjectMeta: metav1.ObjectMeta{
			Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID,
			ResourceVersion: pod.ResourceVersion, CreationTimestamp: pod.CreationTimestamp,
		},
		EphemeralContainers: containers,
	}
}

// WithEphemeralContainers returns a pod with the given ephemeral containers. ok is false for an object of another kind.
func WithEphemeralContainers(pod *corev1.Pod, shown runtime.Object) (out *corev1.Pod, ok bool) {
	in, ok := shown.(*builtin.EphemeralContainers)
	if !ok {
		return nil, false
	}
	out = pod.DeepCopy()
	out.Spec.EphemeralContainers = in.DeepCopy().EphemeralContainers
	out.ResourceVersion = in.ResourceVersion
	return out, true
}
