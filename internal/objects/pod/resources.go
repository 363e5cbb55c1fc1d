// kubernetes/kubernetes:pkg/apis/core/v1/defaults.go
// kubernetes/kubernetes:pkg/apis/core/helper/qos/qos.go

package pod

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/podresources"
)

// DefaultResources sets missing pod-level resources from those of the containers, and missing requests from the
// limits, if the pod has any pod-level resources (DF-01).
func DefaultResources(s *corev1.PodSpec) {
	r := s.Resources
	if r == nil || len(r.Limits) == 0 && len(r.Requests) == 0 {
		return
	}
	defaultHugePageLimits(s)
	if len(r.Limits) > 0 {
		defaultPodRequests(s)
	}
}

// CompleteResources does so after admission. It also sets the requests if there are no limits, and limits that all
// containers have (kubernetes/kubernetes:pkg/api/pod/util.go, DefaultPodLevelResources).
func CompleteResources(s *corev1.PodSpec) {
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
		if !podresources.IsPodLevel(name) || rules.Has(r.Limits, name) || slices.ContainsFunc(Containers(s), unlimited) || !rules.Has(sums, name) {
			continue
		}
		limit := sums[name]
		if requested.Cmp(limit) > 0 {
			limit = requested
		}
		r.Limits = rules.With(r.Limits, name, limit)
	}
}
