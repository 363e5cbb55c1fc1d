package podresources

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// OfPod returns what a pod requests and what it may use, as the scheduler and quotas see it: the sum of its containers,
// the pod-level resources that replace it, and the overhead (RQ-32: kubernetes/component-helpers:resource/helpers.go).
// While a pod is resized, the resources that its status still reports count as well.
func OfPod(pod *corev1.Pod, r *kubeversion.Release) (requests, limits corev1.ResourceList) {
	n := needs{pod: pod, podLevel: r.Enabled("PodLevelResources")}
	n.status = r.Enabled("InPlacePodVerticalScaling")
	n.podStatus = n.status && r.Has(kubeversion.PodStatusResourcesCount) // InPlacePodLevelResourcesVerticalScaling
	return n.requests(), n.limits()
}

// OfSpec returns what the spec of a pod requests, whatever its status says (PRZ-04).
func OfSpec(pod *corev1.Pod, r *kubeversion.Release) corev1.ResourceList {
	return needs{pod: pod, podLevel: r.Enabled("PodLevelResources")}.requests()
}

// needs is one computation. status and podStatus say whether the status of the containers and the status of the pod
// count.
type needs struct {
	pod                         *corev1.Pod
	podLevel, status, podStatus bool
}

func (n needs) requests() corev1.ResourceList {
	total := OfContainers(&n.pod.Spec, n.specRequests)
	if n.status {
		allocated, actual := OfContainers(&n.pod.Spec, n.allocated), OfContainers(&n.pod.Spec, n.actualRequests)
		if s := n.pod.Status; n.podStatus && s.AllocatedResources != nil && s.Resources != nil && s.Resources.Requests != nil {
			allocated, actual = s.AllocatedResources, s.Resources.Requests
		}
		if n.refused() {
			total = corev1.ResourceList{}
		}
		atLeast(total, allocated)
		atLeast(total, actual)
	}
	own, overhead := n.pod.Spec.Resources, n.pod.Spec.Overhead
	if n.podLevel && own != nil && hasPodLevel(own.Requests) {
		var current []corev1.ResourceList
		if s := n.pod.Status; s.Resources != nil {
			current = append(current, subtract(s.Resources.Requests, overhead))
		}
		current = append(current, subtract(n.pod.Status.AllocatedResources, overhead))
		n.replacePodLevel(total, own.Requests, current)
	}
	add(total, overhead)
	return total
}

func (n needs) limits() corev1.ResourceList {
	total := OfContainers(&n.pod.Spec, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Limits })
	if n.status {
		actual := OfContainers(&n.pod.Spec, n.actualLimits)
		if s := n.pod.Status; n.podStatus && s.Resources != nil && s.Resources.Limits != nil {
			actual = s.Resources.Limits
		}
		if n.refused() {
			total = corev1.ResourceList{}
		}
		atLeast(total, actual)
	}
	own, overhead := n.pod.Spec.Resources, n.pod.Spec.Overhead
	if n.podLevel && HasOwn(n.pod) {
		var current []corev1.ResourceList
		if s := n.pod.Status; s.Resources != nil {
			current = append(current, subtract(s.Resources.Limits, overhead))
		}
		n.replacePodLevel(total, own.Limits, current)
	}
	for name, q := range overhead {
		if limit, ok := total[name]; ok && !limit.IsZero() {
			limit = limit.DeepCopy() // it may be shared with the pod
			limit.Add(q)
			total[name] = limit
		}
	}
	return total
}

// replacePodLevel replaces totals with the pod-level resources that the pod asks for or currently has.
func (n needs) replacePodLevel(total, own corev1.ResourceList, current []corev1.ResourceList) {
	whole := own.DeepCopy()
	if n.podStatus && n.refused() {
		whole = nil
	}
	if whole == nil {
		whole = corev1.ResourceList{}
	}
	for _, list := range current {
		if n.podStatus {
			atLeast(whole, list)
		}
	}
	for name, q := range whole {
		if IsPodLevel(name) {
			total[name] = q
		}
	}
}

func (n needs) specRequests(c *corev1.Container) corev1.ResourceList { return c.Resources.Requests }

func (n needs) allocated(c *corev1.Container) corev1.ResourceList {
	switch status := n.statusOf(c); {
	case status != nil && status.AllocatedResources != nil:
		return status.AllocatedResources
	case n.refused():
		return nil
	}
	return c.Resources.Requests
}

func (n needs) actualRequests(c *corev1.Container) corev1.ResourceList {
	if status := n.statusOf(c); status != nil && status.Resources != nil && status.Resources.Requests != nil {
		return status.Resources.Requests
	}
	return n.allocated(c)
}

func (n needs) actualLimits(c *corev1.Container) corev1.ResourceList {
	switch status := n.statusOf(c); {
	case status != nil && status.Resources != nil && status.Resources.Limits != nil:
		return status.Resources.Limits
	case n.refused():
		return nil
	}
	return c.Resources.Limits
}

func (n needs) statusOf(c *corev1.Container) *corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{n.pod.Status.ContainerStatuses, n.pod.Status.InitContainerStatuses} {
		for i := range list {
			if list[i].Name == c.Name {
				return &list[i]
			}
		}
	}
	return nil
}

// refused reports whether the node can never do the resize that the spec asks for.
func (n needs) refused() bool {
	i := slices.IndexFunc(n.pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodResizePending })
	return i >= 0 && n.pod.Status.Conditions[i].Reason == corev1.PodReasonInfeasible
}

// subtract returns list minus what, with a minimum of zero.
func subtract(list, what corev1.ResourceList) corev1.ResourceList {
	left := list.DeepCopy()
	for name, q := range what {
		if have, ok := left[name]; ok {
			if have.Sub(q); have.Sign() < 0 {
				have.Set(0)
			}
			left[name] = have
		}
	}
	return left
}

// HasOwn reports whether a pod has pod-level resources.
func HasOwn(pod *corev1.Pod) bool {
	own := pod.Spec.Resources
	return own != nil && (hasPodLevel(own.Requests) || hasPodLevel(own.Limits))
}

func hasPodLevel(list corev1.ResourceList) bool {
	for name := range list {
		if IsPodLevel(name) {
			return true
		}
	}
	return false
}
