// kubernetes/kubernetes:pkg/api/pod/util.go

package core

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// dropStatus drops the fields of a status whose gates are off, unless the spec of the old pod uses their features, or its
// status has them already (PC-13).
func dropStatus(s *corev1.PodStatus, old *corev1.Pod, r rules.Request) {
	d := droppedOf(old, r)
	if d.resources && !r.Release.Has(kubeversion.ResizeInConditions) {
		s.Resize = ""
	}
	if r.Release.Disabled("DynamicResourceAllocation") && len(old.Spec.ResourceClaims) == 0 {
		s.ResourceClaimStatuses = nil
	}
	if d.observed {
		s.ObservedGeneration = 0
	}
	if r.Release.Disabled("InPlacePodLevelResourcesVerticalScaling") && old.Status.Resources == nil && old.Status.AllocatedResources == nil {
		s.Resources, s.AllocatedResources = nil, nil
	}
	d.from(s)
}

// shareDrops makes the changes that an update makes to the status of the old pod as well: it copies that to the new one,
// and both share the lists in it (PC-13).
func shareDrops(old *corev1.Pod, r rules.Request) (shared *corev1.Pod) {
	shares := r.Subresource == "" || r.Subresource != "status" && r.Release.Has(kubeversion.PodStatusShared)
	d := droppedOf(old, r)
	if !shares || d == (dropped{}) {
		return old
	}
	shared = old.DeepCopy()
	d.from(&shared.Status)
	return shared
}

// dropped says which fields of the statuses of containers, and of conditions, an update drops.
type dropped struct{ resources, allocated, mounts, health, users, observed bool }

func droppedOf(old *corev1.Pod, r rules.Request) (d dropped) {
	d.resources = r.Release.Disabled("InPlacePodVerticalScaling") && !pod.IsResizable(&old.Spec, r.Release)
	d.allocated = d.resources || r.Release.Disabled("InPlacePodVerticalScalingAllocatedStatus") && !r.Release.Has(kubeversion.ResizeInConditions)
	d.mounts = r.Release.Disabled("RecursiveReadOnlyMounts") && !mountsReadOnly(&old.Spec)
	d.health = r.Release.Disabled("ResourceHealthStatus") && !(r.Release.Has(kubeversion.HealthStatusesKept) && hasHealth(&old.Status))
	d.users = r.Release.Disabled("SupplementalGroupsPolicy") && (old.Spec.SecurityContext == nil || old.Spec.SecurityContext.SupplementalGroupsPolicy == nil)
	d.observed = r.Release.Disabled("PodObservedGenerationTracking") && !isObserved(&old.Status)
	return d
}

func (d dropped) from(s *corev1.PodStatus) {
	for _, list := range [][]corev1.ContainerStatus{s.ContainerStatuses, s.InitContainerStatuses, s.EphemeralContainerStatuses} {
		for i := range list {
			d.fromContainer(&list[i])
		}
	}
	for i := range s.Conditions {
		if d.observed {
			s.Conditions[i].ObservedGeneration = 0
		}
	}
}

func (d dropped) fromContainer(c *corev1.ContainerStatus) {
	if d.resources {
		c.Resources = nil
	}
	if d.allocated {
		c.AllocatedResources = nil
	}
	if d.mounts {
		c.VolumeMounts = nil
	}
	if d.health {
		c.AllocatedResourcesStatus = nil
	}
	if d.users {
		c.User = nil
	}
}

func mountsReadOnly(s *corev1.PodSpec) bool {
	return slices.ContainsFunc(pod.Containers(s), func(c *corev1.Container) bool {
		return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.RecursiveReadOnly != nil })
	})
}

func hasHealth(s *corev1.PodStatus) bool {
	has := func(c corev1.ContainerStatus) bool { return len(c.AllocatedResourcesStatus) > 0 }
	return slices.ContainsFunc(s.ContainerStatuses, has) || slices.ContainsFunc(s.InitContainerStatuses, has) || slices.ContainsFunc(s.EphemeralContainerStatuses, has)
}

// isObserved reports whether a status says which generation it is about.
func isObserved(s *corev1.PodStatus) bool {
	return s.ObservedGeneration != 0 || slices.ContainsFunc(s.Conditions, func(c corev1.PodCondition) bool { return c.ObservedGeneration != 0 })
}
