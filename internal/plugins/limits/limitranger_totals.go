package limits

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/podresources"
)

// podTotals returns the resources of all containers of a pod together, at the time when they need most (LR-50 to
// LR-53).
func podTotals(pod *corev1.Pod, podLevel bool) (requests, limits corev1.ResourceList) {
	requests = podresources.OfContainers(&pod.Spec, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Requests })
	limits = podresources.OfContainers(&pod.Spec, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Limits })
	if own := pod.Spec.Resources; podLevel && own != nil {
		takeOver(requests, own.Requests)
		takeOver(limits, own.Limits)
	}
	return requests, limits
}

// takeOver replaces totals by the pod-level resources (LR-51).
func takeOver(totals, own corev1.ResourceList) {
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if q, ok := own[name]; ok {
			totals[name] = q
		}
	}
}
