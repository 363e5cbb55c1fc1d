package objects

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/builtin"
)

// EphemeralContainersOf shows those of a pod:
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
