package access

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestUnknownVolume is a volume of a type that is not known, which defaults make one of.
func TestUnknownVolume(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Volumes: []corev1.Volume{{Name: "v"}}}}
	if _, err := referenceOf(pod); err == nil || err.Error() != `unknown volume type for volume  "v"` {
		t.Errorf("got %v", err)
	}
}
