package access

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Defaulting turns a volume without a type into an emptyDir, so no scenario can have a volume of unknown type.
func TestUnknownVolume(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Volumes: []corev1.Volume{{Name: "v"}}}}
	if _, err := referenceOf(pod, kubeversion.Default()); err == nil || err.Error() != `unknown volume type for volume  "v"` {
		t.Errorf("got %v", err)
	}
}
