package security

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Fields for profiles came with 1.19 (PSP-23). Earlier releases ignore them.
func TestSeccompFields(t *testing.T) {
	profile := &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}
	ofPod := &corev1.Pod{Spec: corev1.PodSpec{SecurityContext: &corev1.PodSecurityContext{SeccompProfile: profile}}}
	own := &corev1.Container{SecurityContext: &corev1.SecurityContext{SeccompProfile: profile}}
	for version, want := range map[string]string{"1.18": "", "1.19": "runtime/default"} {
		release, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		if got := podSeccomp(ofPod, release); got != want {
			t.Errorf("the profile of a pod in %s is %q, want %q", version, got, want)
		}
		if got := containerSeccomp(&corev1.Pod{}, own, release); got != want {
			t.Errorf("the profile of a container in %s is %q, want %q", version, got, want)
		}
	}
}
