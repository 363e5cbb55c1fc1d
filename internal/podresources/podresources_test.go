package podresources

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestOfContainers(t *testing.T) {
	container := func(cpu string, sidecar bool) corev1.Container {
		c := corev1.Container{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}}
		if sidecar {
			c.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		}
		return c
	}
	const sidecar = true
	for _, tt := range []struct {
		reason     string
		containers []corev1.Container
		init       []corev1.Container
		want       string
	}{
		{"containers run at the same time", []corev1.Container{container("1", false), container("500m", false)}, nil, "1500m"},
		{"an init container runs alone, and needs less", []corev1.Container{container("1", false)},
			[]corev1.Container{container("500m", false), container("600m", false)}, "1"},
		{"an init container needs more", []corev1.Container{container("1", false)}, []corev1.Container{container("3", false)}, "3"},
		{"a sidecar runs next to the containers", []corev1.Container{container("1", false)}, []corev1.Container{container("500m", sidecar)}, "1500m"},
		{"an init container after a sidecar", []corev1.Container{container("1", false)},
			[]corev1.Container{container("500m", sidecar), container("2", false)}, "2500m"},
		{"an init container before a sidecar", []corev1.Container{container("1", false)},
			[]corev1.Container{container("2", false), container("500m", sidecar)}, "2"},
	} {
		spec := &corev1.PodSpec{Containers: tt.containers, InitContainers: tt.init}
		before := spec.DeepCopy()
		got := OfContainers(spec, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Requests })
		if cpu := got.Cpu().String(); cpu != tt.want || len(got) != 1 {
			t.Errorf("%s: %s, want %s", tt.reason, cpu, tt.want)
		}
		if diff := cmp.Diff(before, spec); diff != "" {
			t.Errorf("%s: the pod is changed:\n%s", tt.reason, diff)
		}
	}
}
