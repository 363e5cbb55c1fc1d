package objects

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// defaultPodResources fills in the resources of a pod as a whole from its containers, and
// its requests from its limits, if it has any of its own (2.4.1).
func defaultPodResources(s *corev1.PodSpec) {
	r := s.Resources
	if r == nil || len(r.Limits) == 0 && len(r.Requests) == 0 {
		return
	}
	limits := r.Limits.DeepCopy()
	for name, q := range ofContainers(s, func(r corev1.ResourceRequirements) corev1.ResourceList { return r.Limits }) {
		if isHugePages(name) && !has(limits, name) && !has(r.Requests, name) {
			limits = with(limits, name, q)
		}
	}
	r.Limits = limits
	if len(r.Limits) == 0 {
		return
	}
	requests := r.Requests.DeepCopy()
	for name, q := range ofContainers(s, func(r corev1.ResourceRequirements) corev1.ResourceList { return r.Requests }) {
		if (name == corev1.ResourceCPU || name == corev1.ResourceMemory) && !has(requests, name) {
			requests = with(requests, name, q)
		}
	}
	for name, q := range r.Limits {
		if isPodLevel(name) && !has(requests, name) {
			requests = with(requests, name, q)
		}
	}
	if len(requests) > 0 {
		r.Requests = requests
	}
}

// ofContainers is what the containers of a pod need together: the ones that run for good
// are added up, and those that run before them count where they need more.
func ofContainers(s *corev1.PodSpec, pick func(corev1.ResourceRequirements) corev1.ResourceList) corev1.ResourceList {
	total := corev1.ResourceList{}
	for _, c := range s.Containers {
		add(total, pick(c.Resources))
	}
	sidecars, most := corev1.ResourceList{}, corev1.ResourceList{}
	for _, c := range s.InitContainers {
		now := sidecars.DeepCopy()
		add(now, pick(c.Resources))
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sidecars = now
		}
		atLeast(most, now)
	}
	add(total, sidecars)
	atLeast(total, most)
	return total
}

func add(to, more corev1.ResourceList) {
	for name, q := range more {
		sum := to[name].DeepCopy()
		sum.Add(q)
		to[name] = sum
	}
}

func atLeast(list, least corev1.ResourceList) {
	for name, q := range least {
		if have, ok := list[name]; !ok || q.Cmp(have) > 0 {
			list[name] = q.DeepCopy()
		}
	}
}

func isHugePages(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

func isPodLevel(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || isHugePages(name)
}

// qosClass is how well a pod is served when resources get scarce. Only cpu and memory
// count: those of the pod as a whole if it has any, else those of its containers.
func qosClass(s *corev1.PodSpec) corev1.PodQOSClass {
	var requests, limits qosAmounts
	guaranteed := true
	count := func(r *corev1.ResourceRequirements) {
		requests.add(r.Requests)
		guaranteed = limits.add(r.Limits) == len(qosResources) && guaranteed
	}
	if s.Resources != nil { // also where it is empty: kubernetes/kubernetes:pkg/apis/core/helper/qos/qos.go
		count(s.Resources)
	} else {
		for _, containers := range [][]corev1.Container{s.Containers, s.InitContainers} {
			for i := range containers {
				count(&containers[i].Resources)
			}
		}
	}
	if requests.known == limits.known && requests.known == [len(qosResources)]bool{} {
		return corev1.PodQOSBestEffort
	}
	for i := range qosResources {
		guaranteed = guaranteed && requests.known[i] == limits.known[i] && requests.sum[i].Cmp(limits.sum[i]) == 0
	}
	if guaranteed {
		return corev1.PodQOSGuaranteed
	}
	return corev1.PodQOSBurstable
}

// qosResources are those that make a difference for the quality of service.
var qosResources = [...]corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}

// qosAmounts are sums of them, as far as there is anything of them.
type qosAmounts struct {
	sum   [len(qosResources)]resource.Quantity
	known [len(qosResources)]bool
}

// add adds those of a list, and tells of how many there is anything.
func (a *qosAmounts) add(list corev1.ResourceList) (n int) {
	for i, name := range qosResources {
		if q, ok := list[name]; ok && q.Sign() > 0 {
			a.sum[i].Add(q)
			a.known[i] = true
			n++
		}
	}
	return n
}

func with[V any, K comparable](m map[K]V, key K, value V) map[K]V {
	if m == nil {
		m = map[K]V{}
	}
	m[key] = value
	return m
}
