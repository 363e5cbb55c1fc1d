// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package core

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// extendedClaim checks the claim created for the extended resources of a pod, and which of its requests belong to which
// container.
func extendedClaim(p *corev1.Pod, at *field.Path) field.ErrorList {
	s := p.Status.ExtendedResourceClaimStatus
	if s == nil {
		return nil
	}
	var errs rules.Errors
	mappings := at.Child("requestMappings")
	if len(s.RequestMappings) == 0 {
		errs.Required(mappings, "at least one request mapping is required")
	}
	for i, m := range s.RequestMappings {
		mapping, at := mappings.Index(i), at.Child("requestName")
		switch c := containerOf(&p.Spec, m.ContainerName); {
		case c == nil:
			errs.Invalid(mapping.Child("containerName"), m.ContainerName, "must match the name of an entry in spec.initContainers.name or spec.containers.name")
		case !rules.Has(c.Resources.Requests, corev1.ResourceName(m.ResourceName)):
			errs.Invalid(mapping.Child("resourceName"), m.ResourceName, "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests")
		}
		errs.Add(rules.Faults(at, m.RequestName, rules.DNS1123Label(m.RequestName)))
		if slices.Contains(s.RequestMappings[:i], m) {
			errs.Duplicate(mapping.Child("containerName"), m.ContainerName)
			errs.Duplicate(mapping.Child("resourceName"), m.ResourceName)
			errs.Duplicate(mapping.Child("requestName"), m.RequestName)
		}
	}
	if s.ResourceClaimName == "" {
		errs.Required(at.Child("resourceClaimName"), "")
	} else {
		errs.Add(rules.Subdomain(s.ResourceClaimName, at.Child("resourceClaimName")))
	}
	return errs.List()
}

// containerOf returns the container or init container with that name, or nil if there is none.
func containerOf(s *corev1.PodSpec, name string) *corev1.Container {
	for _, list := range [][]corev1.Container{s.Containers, s.InitContainers} {
		if i := slices.IndexFunc(list, func(c corev1.Container) bool { return c.Name == name }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// allocatableClaims checks which resources of the node claims use.
func allocatableClaims(p *corev1.Pod, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, s := range p.Status.NodeAllocatableResourceClaimStatuses {
		at := at.Index(i)
		if s.ResourceClaimName == "" {
			continue
		}
		errs.Add(rules.Unless(claims(p, s.ResourceClaimName), at.Child("resourceClaimName"), s.ResourceClaimName, "no mapping found in pod reference"))
		for j, m := range s.Mapping {
			at := at.Child("mapping").Index(j)
			errs.Add(allocatableName(m.Name, at.Child("name")))
			errs.Add(notLessThanNone(m.Quantity, at.Child("quantity")))
		}
		for j, o := range s.Overhead {
			at := at.Child("overhead").Index(j)
			errs.Add(allocatableName(o.Name, at.Child("name")))
			errs.Add(rules.Unless(o.PerPod != nil || o.PerContainer != nil, at, "", "at least one of perPod or perContainer must be set"))
			errs.Add(notLessThanNone(o.PerPod, at.Child("perPod")))
			errs.Add(notLessThanNone(o.PerContainer, at.Child("perContainer")))
		}
	}
	return errs.List()
}

// allocatableClaimsUnmapped is allocatableClaims as of 1.36, where the resources are a map (CV-10).
func allocatableClaimsUnmapped(p *corev1.Pod, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, s := range p.Status.NodeAllocatableResourceClaimStatuses {
		at := at.Index(i)
		if s.ResourceClaimName == "" {
			errs.Required(at.Child("resourceClaimName"), "must not be empty")
		}
		errs.Add(rules.Unless(claims(p, s.ResourceClaimName), at.Child("resourceClaimName"), s.ResourceClaimName, "no mapping found in pod reference"))
		if len(s.Containers) == 0 {
			errs.Required(at.Child("containers"), "must not be empty")
		}
		if len(s.Mapping) == 0 {
			errs.Required(at.Child("resources"), "must not be empty")
		}
		for _, m := range s.Mapping {
			at := at.Child("resources").Key(string(m.Name))
			errs.Add(rules.Unless(rules.IsNative(m.Name), at, m.Name, "must be a node allocatable resource name"))
			errs.Add(notLessThanNone(m.Quantity, at))
		}
	}
	return errs.List()
}

// claims reports whether a pod refers to a ResourceClaim, or got it from a template.
func claims(p *corev1.Pod, claim string) bool {
	named := func(n *string) bool { return n != nil && *n == claim }
	return slices.ContainsFunc(p.Spec.ResourceClaims, func(c corev1.PodResourceClaim) bool { return named(c.ResourceClaimName) }) ||
		slices.ContainsFunc(p.Status.ResourceClaimStatuses, func(c corev1.PodResourceClaimStatus) bool { return named(c.ResourceClaimName) })
}

func allocatableName(name corev1.ResourceName, at *field.Path) field.ErrorList {
	ok := name == corev1.ResourceCPU || name == corev1.ResourceMemory || podresources.IsHugePages(name)
	return rules.Unless(ok, at, name, "must be a node allocatable resource name")
}

func notLessThanNone(q *resource.Quantity, at *field.Path) field.ErrorList {
	if q == nil {
		return nil
	}
	return rules.Unless(q.Sign() >= 0, at, q.String(), "must be non-negative")
}

// volumeHealth checks the reported health of the volumes of a pod.
func volumeHealth(p *corev1.Pod, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, h := range p.Status.VolumeHealth {
		at := at.Index(i)
		if h.Name != "" && !slices.ContainsFunc(p.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == h.Name }) {
			errs.Append(field.NotFound(at.Child("name"), h.Name))
		}
		for j, c := range h.HealthConditions {
			if c.Reason != "" {
				errs.Add(rules.Faults(at.Child("healthConditions").Index(j).Child("reason"), c.Reason, metav1validation.IsValidConditionReason(c.Reason)))
			}
		}
	}
	return errs.List()
}

// allocatedStatuses checks the devices allocated to a container, and their reported health.
func allocatedStatuses(p *corev1.Pod, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	for _, list := range []struct {
		name       string
		statuses   []corev1.ContainerStatus
		containers []corev1.Container
	}{{"containerStatuses", p.Status.ContainerStatuses, p.Spec.Containers}, {"initContainerStatuses", p.Status.InitContainerStatuses, p.Spec.InitContainers}} {
		for i, s := range list.statuses {
			container := slices.IndexFunc(list.containers, func(c corev1.Container) bool { return c.Name == s.Name })
			for j, a := range s.AllocatedResourcesStatus {
				at := at.Child(list.name).Index(i).Child("allocatedResourcesStatus").Index(j)
				if container >= 0 {
					errs.Add(allocatedTo(p, &list.containers[container], a.Name, at.Child("name"), r))
				}
				errs.Add(resourceHealths(a.Resources, at.Child("resources")))
			}
		}
	}
	for i, s := range p.Status.EphemeralContainerStatuses {
		if len(s.AllocatedResourcesStatus) > 0 {
			errs.Forbidden(at.Child("ephemeralContainerStatuses").Index(i).Child("allocatedResourcesStatus"), "must not be specified in container status")
		}
	}
	return errs.List()
}

// allocatedTo requires a container to use what is reported for it: a claim, or a resource that it requests.
func allocatedTo(p *corev1.Pod, c *corev1.Container, name corev1.ResourceName, at *field.Path, r rules.Request) field.ErrorList {
	ref, isClaim := strings.CutPrefix(string(name), "claim:")
	switch {
	case !r.Release.Has(kubeversion.HealthOfClaims):
		return rules.Unless(rules.Has(c.Resources.Requests, name), at, name, "must match one of the container's resource requirements")
	case !isClaim:
		return rules.Unless(rules.Has(c.Resources.Requests, name), at, name, "must match one of the container's resource requests")
	}
	used := slices.ContainsFunc(c.Resources.Claims, func(u corev1.ResourceClaim) bool { return ref == claimRequest(u.Name, u.Request) })
	if !r.Release.Has(kubeversion.AllocatableClaimsMapped) {
		return rules.Unless(used, at, name, "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty")
	}
	return rules.Unless(used || usesExtended(p, c, ref), at, name,
		"must match one of the container's resource claims as 'claim:<claimName>/<requestName>' when container.resources.claims[*].request is set or 'claim:<claimName>' when it is empty")
}

func claimRequest(claim, request string) string {
	if request == "" {
		return claim
	}
	return claim + "/" + request
}

// usesExtended reports whether a container requests an extended resource through that claim.
func usesExtended(p *corev1.Pod, c *corev1.Container, ref string) bool {
	s := p.Status.ExtendedResourceClaimStatus
	claim, request, _ := strings.Cut(ref, "/")
	if s == nil || request == "" || claim != s.ResourceClaimName {
		return false
	}
	return slices.ContainsFunc(s.RequestMappings, func(m corev1.ContainerExtendedResourceRequest) bool {
		q := c.Resources.Requests[corev1.ResourceName(m.ResourceName)]
		return m.ContainerName == c.Name && m.RequestName == request && !q.IsZero()
	})
}

func resourceHealths(list []corev1.ResourceHealth, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, h := range list {
		at := at.Index(i)
		errs.Add(rules.Choice(h.Health, at.Child("health"), corev1.ResourceHealthStatusHealthy, corev1.ResourceHealthStatusUnhealthy, corev1.ResourceHealthStatusUnknown))
		if m := h.Message; m != nil && *m == "" {
			errs.Required(at.Child("message"), "must be non-empty if specified")
		} else if m != nil && len(*m) > corev1.ResourceHealthMessageMaxLength {
			errs.TooLong(at.Child("message"), *m, corev1.ResourceHealthMessageMaxLength)
		}
		if slices.ContainsFunc(list[:i], func(other corev1.ResourceHealth) bool { return other.ResourceID == h.ResourceID }) {
			errs.Duplicate(at.Child("resourceID"), h.ResourceID)
		}
	}
	return errs.List()
}

const maxImageRef = 256

// imageVolumeStatuses checks the reported images of mounted volumes.
func imageVolumeStatuses(s *corev1.PodStatus, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for _, list := range []struct {
		name     string
		statuses []corev1.ContainerStatus
	}{{"containerStatuses", s.ContainerStatuses}, {"initContainerStatuses", s.InitContainerStatuses}, {"ephemeralContainerStatuses", s.EphemeralContainerStatuses}} {
		for i, c := range list.statuses {
			for j, m := range c.VolumeMounts {
				if m.VolumeStatus == nil || m.VolumeStatus.Image == nil {
					continue
				}
				at := at.Child(list.name).Index(i).Child("volumeMounts").Index(j).Child("volumeStatus", "imageVolumeStatus", "imageRef")
				switch ref := m.VolumeStatus.Image.ImageRef; {
				case ref == "":
					errs.Required(at, "imageRef must not be empty")
				case len(ref) > maxImageRef:
					errs.TooLong(at, ref, maxImageRef)
				}
			}
		}
	}
	return errs.List()
}
