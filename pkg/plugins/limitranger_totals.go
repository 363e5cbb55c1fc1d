package plugins

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
)

// podTotals is what all containers of a pod ask for together, at the time when they ask
// for most (LR-50 to LR-53).
func podTotals(pod *corev1.Pod, podLevel bool) (requests, limits corev1.ResourceList) {
	requests = containersTotal(pod, func(r corev1.ResourceRequirements) corev1.ResourceList { return r.Requests })
	limits = containersTotal(pod, func(r corev1.ResourceRequirements) corev1.ResourceList { return r.Limits })
	if own := pod.Spec.Resources; podLevel && own != nil {
		takeOver(requests, own.Requests)
		takeOver(limits, own.Limits)
	}
	return requests, limits
}

// takeOver replaces totals by what the pod asks for as a whole (LR-51).
func takeOver(totals, own corev1.ResourceList) {
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if q, ok := own[name]; ok {
			totals[name] = q
		}
	}
}

// containersTotal sums up one list of every container. An init container runs alone, but
// for the sidecars started before it; sidecars keep running beside the containers.
func containersTotal(pod *corev1.Pod, list func(corev1.ResourceRequirements) corev1.ResourceList) corev1.ResourceList {
	total, sidecars, start := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	for _, c := range pod.Spec.Containers {
		add(total, list(c.Resources))
	}
	for _, c := range pod.Spec.InitContainers {
		own := list(c.Resources)
		running := maps.Clone(sidecars)
		add(running, own)
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			add(total, own)
			sidecars = running
		}
		atLeast(start, running)
	}
	atLeast(total, start)
	return total
}

func add(total, more corev1.ResourceList) {
	for name, q := range more {
		sum := total[name].DeepCopy()
		sum.Add(q)
		total[name] = sum
	}
}

func atLeast(total, least corev1.ResourceList) {
	for name, q := range least {
		if now, ok := total[name]; !ok || now.Cmp(q) < 0 {
			total[name] = q
		}
	}
}
