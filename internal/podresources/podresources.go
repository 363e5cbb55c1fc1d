// Package podresources adds up the resources that the containers of a pod need, and knows which resources are special.
// Start with [OfContainers].
//
// It does not know what the sum is used for: a default, an error, or a charge to a quota.
package podresources

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// OfContainers adds up a list of every container. An init container runs alone, except for the sidecars started before
// it; sidecars keep running next to the containers.
func OfContainers(s *corev1.PodSpec, list func(*corev1.Container) corev1.ResourceList) corev1.ResourceList {
	total, sidecars, start := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	for i := range s.Containers {
		add(total, list(&s.Containers[i]))
	}
	for i := range s.InitContainers {
		c := &s.InitContainers[i]
		running := Sum(list(c), sidecars)
		if IsSidecar(c) {
			running = Sum(sidecars, list(c))
			add(total, list(c))
			sidecars = running
		}
		atLeast(start, running)
	}
	atLeast(total, start)
	return total
}

// IsSidecar reports whether an init container keeps running.
func IsSidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// IsPodLevel reports whether a resource can be requested by a pod as a whole.
func IsPodLevel(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || IsHugePages(name)
}

// IsHugePages reports whether a resource is huge pages of any size.
func IsHugePages(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// Sum returns the sum of two lists. The format of a quantity is that in first.
func Sum(first, second corev1.ResourceList) corev1.ResourceList {
	total := first.DeepCopy()
	if total == nil {
		total = corev1.ResourceList{}
	}
	add(total, second)
	return total
}

// add adds more to total. A quantity that is only in one of them keeps its format, such as "1e0".
func add(total, more corev1.ResourceList) {
	for name, q := range more {
		sum := q.DeepCopy()
		if had, ok := total[name]; ok {
			sum = had.DeepCopy()
			sum.Add(q)
		}
		total[name] = sum
	}
}

// atLeast raises total to the quantities in least.
func atLeast(total, least corev1.ResourceList) {
	for name, q := range least {
		if now, ok := total[name]; !ok || now.Cmp(q) < 0 {
			total[name] = q
		}
	}
}
