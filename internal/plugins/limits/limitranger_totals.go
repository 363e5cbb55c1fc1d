package limits

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/admsim/admsim/internal/podresources"
)

// podTotals returns the resources of all containers of a pod together, at the time when they need most (LR-50 to
// LR-53).
func (p LimitRanger) podTotals(pod *corev1.Pod) (requests, limits corev1.ResourceList) {
	requestsOf := func(c *corev1.Container) corev1.ResourceList { return c.Resources.Requests }
	limitsOf := func(c *corev1.Container) corev1.ResourceList { return c.Resources.Limits }
	if !p.partialSums {
		requestsOf, limitsOf = ofAll(&pod.Spec, requestsOf), ofAll(&pod.Spec, limitsOf)
	}
	requests, limits = podresources.OfContainers(&pod.Spec, requestsOf), podresources.OfContainers(&pod.Spec, limitsOf)
	if own := pod.Spec.Resources; p.podLevel && own != nil {
		takeOver(requests, own.Requests)
		takeOver(limits, own.Limits)
	}
	return requests, limits
}

// ofAll leaves out the resources that some container does not set. Init containers need not set them
// (kubernetes/kubernetes@v1.27.16:plugin/pkg/admission/limitranger/admission.go, sum).
func ofAll(s *corev1.PodSpec, list func(*corev1.Container) corev1.ResourceList) func(*corev1.Container) corev1.ResourceList {
	count := map[corev1.ResourceName]int{}
	for i := range s.Containers {
		for name := range list(&s.Containers[i]) {
			count[name]++
		}
	}
	return func(c *corev1.Container) corev1.ResourceList {
		set := maps.Clone(list(c))
		for i := range s.Containers {
			if c == &s.Containers[i] {
				maps.DeleteFunc(set, func(name corev1.ResourceName, _ resource.Quantity) bool { return count[name] < len(s.Containers) })
			}
		}
		return set
	}
}

// takeOver replaces totals by the pod-level resources (LR-51).
func takeOver(totals, own corev1.ResourceList) {
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if q, ok := own[name]; ok {
			totals[name] = q
		}
	}
}
