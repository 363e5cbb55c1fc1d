package objects

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Assign sets the node of a pod, and copies the metadata of the binding to it:
// kubernetes/kubernetes:pkg/registry/core/pod/storage/storage.go, setPodNodeAndMetadata.
func Assign(pod *corev1.Pod, b *corev1.Binding, r *kubeversion.Release) {
	pod.Spec.NodeName = b.Target.Name
	pod.Status.NominatedNodeName = ""
	pod.Annotations = with(pod.Annotations, b.Annotations)
	rules.DropInitContainerAnnotations(pod.Annotations)
	if r.Enabled("PodTopologyLabelsAdmission") {
		pod.Labels = with(pod.Labels, b.Labels)
	}
}

// with adds entries to a map, which may be nil.
func with(m, more map[string]string) map[string]string {
	if m == nil && len(more) > 0 {
		m = make(map[string]string, len(more))
	}
	for k, v := range more {
		m[k] = v
	}
	return m
}
