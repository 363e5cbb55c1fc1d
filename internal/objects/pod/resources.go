// kubernetes/kubernetes:pkg/apis/core/v1/defaults.go
// kubernetes/kubernetes:pkg/apis/core/helper/qos/qos.go

package pod

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// defaultPodResources sets missing pod-level resources from those of the containers, and missing requests from the
// limits, if the pod has any pod-level resources (DF-01).
func defaultPodResources(s *corev1.PodSpec) {
	r := s.Resources
	if r == nil || len(r.Limits) == 0 && len(r.Requests) == 0 {
		return
	}
	defaultHugePageLimits(s)
	if len(r.Limits) > 0 {
		defaultPodRequests(s)
	}
}

// completePodResources does so after admission. It also sets the requests if there are no limits, and limits that all
// containers have (kubernetes/kubernetes:pkg/api/pod/util.go, DefaultPodLevelResources).
func completePodResources(s *corev1.PodSpec) {
	r := s.Resources
	if r == nil || len(r.Limits) == 0 && len(r.Requests) == 0 {
		return
	}
	defaultHugePageLimits(s)
	defaultPodRequests(s)
	defaultPodLimits(s)
}

func defaultHugePageLimits(s *corev1.PodSpec) {
	r := s.Resources
	limits := r.Limits.DeepCopy()
	for name, q := range podresources.OfContainers(s, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Limits }) {
		if podresources.IsHugePages(name) && !rules.Has(limits, name) && !rules.Has(r.Requests, name) {
			limits = rules.With(limits, name, q)
		}
	}
	r.Limits = limits
}

func defaultPodRequests(s *corev1.PodSpec) {
	r := s.Resources
	requests := r.Requests.DeepCopy()
	for name, q := range podresources.OfContainers(s, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Requests }) {
		if (name == corev1.ResourceCPU || name == corev1.ResourceMemory) && !rules.Has(requests, name) {
			requests = rules.With(requests, name, q)
		}
	}
	for name, q := range r.Limits {
		if podresources.IsPodLevel(name) && !rules.Has(requests, name) {
			requests = rules.With(requests, name, q)
		}
	}
	if len(requests) > 0 {
		r.Requests = requests
	}
}

// defaultPodLimits sets missing limits of requested resources to the sum of the containers' limits, but not below the
// request.
func defaultPodLimits(s *corev1.PodSpec) {
	r := s.Resources
	sums := podresources.OfContainers(s, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Limits })
	for name, requested := range r.Requests {
		unlimited := func(c *corev1.Container) bool { return !rules.Has(c.Resources.Limits, name) }
		if !podresources.IsPodLevel(name) || rules.Has(r.Limits, name) || slices.ContainsFunc(containersOf(s), unlimited) || !rules.Has(sums, name) {
			continue
		}
		limit := sums[name]
		if requested.Cmp(limit) > 0 {
			limit = requested
		}
		r.Limits = rules.With(r.Limits, name, limit)
	}
}

// qosClass returns the quality of service class of a pod. Only cpu and memory count: those at pod level if there are
// any, otherwise those of the containers.
func qosClass(s *corev1.PodSpec, r *kubeversion.Release) corev1.PodQOSClass {
	var requests, limits qosAmounts
	guaranteed := true
	count := func(r *corev1.ResourceRequirements) {
		requests.add(r.Requests)
		guaranteed = limits.add(r.Limits) == len(qosResources) && guaranteed
	}
	if ofPod(s.Resources, r) {
		count(s.Resources)
	} else {
		all := [][]corev1.Container{s.Containers}
		if r.Has(kubeversion.InitContainersHaveQOS) {
			all = append(all, s.InitContainers)
		}
		for _, containers := range all {
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

// ofPod reports whether the pod-level resources decide the class. Up to 1.36 they do so even if they are empty
// (kubernetes/kubernetes:pkg/apis/core/helper/qos/qos.go).
func ofPod(whole *corev1.ResourceRequirements, r *kubeversion.Release) bool {
	if whole == nil || !r.Has(kubeversion.EmptyPodResourcesIgnored) {
		return whole != nil
	}
	for _, list := range []corev1.ResourceList{whole.Requests, whole.Limits} {
		for name := range list {
			if podresources.IsPodLevel(name) {
				return true
			}
		}
	}
	return false
}

// qosResources are the resources that decide the quality of service.
var qosResources = [...]corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}

// qosAmounts are the sums of these resources, as far as they are known.
type qosAmounts struct {
	sum   [len(qosResources)]resource.Quantity
	known [len(qosResources)]bool
}

// add adds the resources of a list, and returns how many of them are positive.
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
