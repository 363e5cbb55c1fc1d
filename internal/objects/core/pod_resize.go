// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package core

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const onlyAmounts = "only cpu and memory resources are mutable"

// memoryVolumes is the gate that allows the size of memory-backed volumes to change (KEP-5855).
const memoryVolumes = "InPlacePodVerticalScalingMemoryBackedVolumes"

// validateResize allows the cpu and memory of a pod to change, as long as its class stays the same
// (kubernetes/kubernetes:pkg/apis/core/validation/validation.go, ValidatePodResize).
func validateResize(p, old *corev1.Pod, r rules.Request) field.ErrorList {
	if wrong := unresizable(p, old, r); len(wrong) > 0 {
		return wrong
	}
	var errs rules.Errors
	errs.Add(staysOfClass(p, old, r))
	if !r.Release.Has(kubeversion.ResizeInConditions) {
		errs.Add(resizedAlone(p.Spec.DeepCopy(), &old.Spec, r))
		return errs.List()
	}
	ofPod := hasAmounts(p) || hasAmounts(old)
	if ofPod && !r.Release.Enabled("InPlacePodLevelResourcesVerticalScaling") {
		errs.Forbidden(field.NewPath(""), "resize of pods with pod-level resources is forbidden when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled")
		return errs.List()
	}
	if len(old.Status.NodeAllocatableResourceClaimStatuses) > 0 && !r.Release.Has(kubeversion.AllocatableClaimsMapped) {
		errs.Forbidden(rules.SpecPath, "pods with node allocatable resource claims cannot be resized")
	}
	s := p.Spec.DeepCopy()
	if ofPod {
		errs.Add(resizeWhole(s, &old.Spec))
	}
	if wrong := sameContainers(p, old); len(wrong) > 0 {
		errs.Add(wrong)
		return errs.List()
	}
	for i := range s.InitContainers {
		errs.Add(resizeInit(&s.InitContainers[i], &old.Spec.InitContainers[i], rules.SpecPath.Child("initContainers").Index(i), r))
	}
	for i := range s.Containers {
		c, before := &s.Containers[i], &old.Spec.Containers[i]
		at := rules.SpecPath.Child("containers").Index(i).Child("resources")
		errs.Add(keepsAmounts(&c.Resources, &before.Resources, "resource", at))
		errs.Add(keepsMemory(c, before, at, r))
		withoutAmountsOf(&c.Resources, &before.Resources, r)
		if !semantic.DeepEqual(c, before) {
			errs.Forbidden(rules.SpecPath, onlyAmounts)
		}
	}
	if r.Release.Enabled(memoryVolumes) {
		errs.Add(resizeVolumes(s.Volumes, old.Spec.Volumes))
		s.Volumes = old.Spec.Volumes
	}
	if !errs.Any() && !semantic.DeepEqual(s, &old.Spec) {
		errs.Forbidden(rules.SpecPath, onlyAmounts)
	}
	return errs.List()
}

// resizeByName resizes the containers of a pod as the first release with the subresource did: those that it has, in any
// order. The status says that a resize is proposed (PC-14).
func resizeByName(p, old *corev1.Pod) {
	asked := p.Spec.Containers
	keepPod(p, old)
	for i := range p.Spec.Containers {
		c := &p.Spec.Containers[i]
		if at := slices.IndexFunc(asked, func(a corev1.Container) bool { return a.Name == c.Name }); at >= 0 {
			c.Resources, c.ResizePolicy = asked[at].Resources, asked[at].ResizePolicy
		}
		if c.Resources.Requests != nil && !semantic.DeepEqual(c.Resources, old.Spec.Containers[i].Resources) {
			p.Status.Resize = "Proposed"
		}
	}
}

// resizesByUpdate reports whether a pod is resized by an update, not by a subresource (PC-14).
func resizesByUpdate(r rules.Request) bool {
	return r.Release.Enabled("InPlacePodVerticalScaling") && !r.Release.Has(kubeversion.ResizeSubresource)
}

// proposeResize notes in the status that an update requests other resources than a container has.
func proposeResize(p, old *corev1.Pod) {
	for i, c := range p.Spec.Containers {
		if c.Resources.Requests == nil || i >= len(old.Spec.Containers) || semantic.DeepEqual(c.Resources, old.Spec.Containers[i].Resources) {
			continue
		}
		resized := func(s corev1.ContainerStatus) bool {
			return s.Name == c.Name && !semantic.DeepEqual(c.Resources.Requests, s.AllocatedResources)
		}
		if slices.ContainsFunc(p.Status.ContainerStatuses, resized) {
			p.Status.Resize = "Proposed"
		}
	}
}

// resizedAlone requires that a resize only changes cpu, memory and policies of containers, and removes none of them. s may
// be changed.
func resizedAlone(s, old *corev1.PodSpec, r rules.Request) field.ErrorList {
	var errs rules.Errors
	for i := range s.Containers {
		c, before := &s.Containers[i], &old.Containers[i]
		for _, wrong := range slices.Backward(keepsAmounts(&c.Resources, &before.Resources, "resource", rules.SpecPath.Child("containers").Index(i).Child("resources"))) {
			errs.Append(wrong)
		}
		withoutAmountsOf(&c.Resources, &before.Resources, r)
		c.ResizePolicy = before.ResizePolicy
	}
	if !semantic.DeepEqual(s, old) {
		errs.Forbidden(rules.SpecPath, onlyAmounts+"\n"+rules.InternalDiff(r.Release, *old, *s))
	}
	return errs.List()
}

// unresizable refuses to resize some pods. It is the only error then, whatever else is wrong with them.
func unresizable(p, old *corev1.Pod, r rules.Request) field.ErrorList {
	var errs rules.Errors
	switch at := field.NewPath(""); {
	case (hasAmounts(p) || hasAmounts(old)) && !r.Release.Has(kubeversion.PodLevelResize):
		errs.Forbidden(at, "pods with pod-level resources cannot be resized")
	case rules.Has(old.Annotations, corev1.MirrorPodAnnotationKey):
		errs.Forbidden(at, "static pods cannot be resized")
	case old.Spec.OS != nil && old.Spec.OS.Name == corev1.Windows:
		errs.Forbidden(at, "windows pods cannot be resized")
	}
	return errs.List()
}

// hasAmounts reports whether a pod has pod-level resources.
func hasAmounts(p *corev1.Pod) bool {
	r := p.Spec.Resources
	return r != nil && len(r.Requests)+len(r.Limits) > 0
}

func staysOfClass(p, old *corev1.Pod, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Unless(classOf(old, r) == podresources.QOSClass(&p.Spec, r.Release), rules.SpecPath, p.Status.QOSClass, "Pod QOS Class may not change as a result of resizing"))
	running := slices.IndexFunc(old.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool { return c.State.Running != nil })
	if running >= 0 && old.Status.ContainerStatuses[running].Resources == nil {
		errs.Forbidden(rules.SpecPath, "Pod running on node without support for resize")
	}
	return errs.List()
}

// classOf returns the class of an existing pod: the one in its status, if any.
func classOf(p *corev1.Pod, r rules.Request) corev1.PodQOSClass {
	if class := p.Status.QOSClass; class != "" {
		return class
	}
	return podresources.QOSClass(&p.Spec, r.Release)
}

// resizeWhole checks the pod-level resources, and resets them to the old ones.
func resizeWhole(s, old *corev1.PodSpec) field.ErrorList {
	at := rules.SpecPath.Child("resources")
	if s.Resources == nil {
		return field.ErrorList{field.Forbidden(at, "pod-level resources cannot be removed")}
	}
	before := &corev1.ResourceRequirements{}
	if old.Resources != nil {
		before = old.Resources
	}
	var errs rules.Errors
	errs.Add(keepsAmounts(s.Resources, before, "pod-level resource", at))
	withoutAmounts(s.Resources, before)
	if old.Resources == nil && semantic.DeepEqual(s.Resources, before) {
		s.Resources = nil
	}
	if !semantic.DeepEqual(s.Resources, old.Resources) {
		errs.Forbidden(rules.SpecPath, "only cpu and memory resources are mutable at pod-level")
	}
	return errs.List()
}

// resizeInit checks an init container, and resets its cpu and memory to the old values. Before 1.36 only sidecars could
// be resized.
func resizeInit(c, before *corev1.Container, at *field.Path, r rules.Request) field.ErrorList {
	sidecar := podresources.IsSidecar(c)
	all := r.Release.Enabled("InPlacePodVerticalScalingInitContainers")
	changed := !semantic.DeepEqual(c, before)
	if !sidecar && !all {
		if changed {
			return field.ErrorList{field.Forbidden(rules.SpecPath, "resources for non-sidecar init containers are immutable")}
		}
		return nil
	}
	var errs rules.Errors
	errs.Add(keepsAmounts(&c.Resources, &before.Resources, "resource", at.Child("resources")))
	errs.Add(keepsMemory(c, before, at.Child("resources"), r))
	withoutAmountsOf(&c.Resources, &before.Resources, r)
	switch {
	case semantic.DeepEqual(c, before):
	case r.Release.Has(kubeversion.InitContainerResizeNamed):
		errs.Forbidden(at, "only cpu and memory resources for init or sidecar containers are mutable")
	default:
		errs.Forbidden(rules.SpecPath, "only cpu and memory resources for sidecar containers are mutable")
	}
	restarts := func(p corev1.ContainerResizePolicy) bool { return p.RestartPolicy == corev1.RestartContainer }
	if changed && !sidecar && slices.ContainsFunc(c.ResizePolicy, restarts) {
		errs.Forbidden(at, "non-sidecar init containers with a resize policy of RestartContainer cannot be resized")
	}
	return errs.List()
}

// resizeVolumes allows the size of memory-backed volumes to change.
func resizeVolumes(volumes, before []corev1.Volume) field.ErrorList {
	at := rules.SpecPath.Child("volumes")
	if len(volumes) != len(before) {
		return field.ErrorList{field.Forbidden(at, "volumes may not be added or removed on resize")}
	}
	var errs rules.Errors
	for i := range volumes {
		errs.Add(resizeVolume(volumes[i], before[i], at.Index(i)))
	}
	return errs.List()
}

func resizeVolume(v, before corev1.Volume, at *field.Path) field.ErrorList {
	refused := func(at *field.Path, message string) field.ErrorList {
		return field.ErrorList{field.Forbidden(at, message)}
	}
	if v.Name != before.Name {
		return refused(at.Child("name"), "volumes may not be renamed or reordered on resize")
	}
	if v.EmptyDir == nil || before.EmptyDir == nil {
		if !semantic.DeepEqual(v, before) {
			return refused(at, "only sizeLimit of memory-backed emptyDir volumes is mutable on resize")
		}
		return nil
	}
	limit, oldLimit := v.EmptyDir.SizeLimit, before.EmptyDir.SizeLimit
	rest := *v.EmptyDir
	rest.SizeLimit = oldLimit
	v.EmptyDir = &rest
	limited := func(q *resource.Quantity) bool { return q != nil && !q.IsZero() }
	switch size := at.Child("emptyDir", "sizeLimit"); {
	case !semantic.DeepEqual(v, before):
		return refused(at, "only sizeLimit of memory-backed emptyDir volumes is mutable on resize")
	case limited(limit) != limited(oldLimit):
		return refused(size, "adding or removing sizeLimit on an existing volume is not allowed")
	case limited(oldLimit) && limit.Cmp(*oldLimit) != 0 && rest.Medium != corev1.StorageMediumMemory:
		return refused(size, "sizeLimit is only mutable for memory-backed emptyDir volumes")
	}
	return nil
}

// sameContainers requires a resize to name the existing containers, in the same order.
func sameContainers(p, old *corev1.Pod) field.ErrorList {
	same := func(kind string, after, before []corev1.Container) field.ErrorList {
		at := rules.SpecPath.Child(kind)
		if len(after) != len(before) {
			return field.ErrorList{field.Forbidden(at, kind+" may not be added or removed on resize")}
		}
		var errs rules.Errors
		for i := range before {
			if after[i].Name != before[i].Name {
				errs.Forbidden(at.Index(i).Child("name"), kind+" may not be renamed or reordered on resize")
			}
		}
		return errs.List()
	}
	return append(same("containers", p.Spec.Containers, old.Spec.Containers), same("initContainers", p.Spec.InitContainers, old.Spec.InitContainers)...)
}

// withoutAmountsOf resets cpu and memory of a container to the old values. In earlier releases this reset the rest, too:
// claims always, and amounts if there were none before.
func withoutAmountsOf(after, before *corev1.ResourceRequirements, r rules.Request) {
	withoutAmounts(after, before)
	if !r.Release.Has(kubeversion.ContainerClaimsResizable) {
		after.Claims = nil
	}
	if r.Release.Has(kubeversion.ResizedFromNothing) {
		return
	}
	if before.Limits == nil {
		after.Limits = nil
	}
	if before.Requests == nil {
		after.Requests = nil
	}
}

// withoutAmounts resets cpu and memory to the old values.
func withoutAmounts(r, before *corev1.ResourceRequirements) {
	same := func(after *corev1.ResourceList, previous corev1.ResourceList) {
		out := corev1.ResourceList{}
		for name, q := range *after {
			if name != corev1.ResourceCPU && name != corev1.ResourceMemory {
				out[name] = q
			}
		}
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			if q, ok := previous[name]; ok {
				out[name] = q
			}
		}
		*after = out
		if len(out) == 0 {
			*after = nil
		}
	}
	same(&r.Limits, before.Limits)
	same(&r.Requests, before.Requests)
}

// keepsMemory requires, in the release that does so, that the memory of a container that is not restarted for it does not
// get a lower limit, nor one that it did not have (VA-04).
func keepsMemory(c, before *corev1.Container, at *field.Path, r rules.Request) field.ErrorList {
	if !r.Release.Has(kubeversion.MemoryLimitsChecked) || r.Release.Has(kubeversion.MemoryLimitsShrink) {
		return nil
	}
	policy := slices.IndexFunc(c.ResizePolicy, func(p corev1.ContainerResizePolicy) bool { return p.ResourceName == corev1.ResourceMemory })
	restarted := policy >= 0 && c.ResizePolicy[policy].RestartPolicy == corev1.RestartContainer
	limit, limited := c.Resources.Limits[corev1.ResourceMemory]
	old, wasLimited := before.Resources.Limits[corev1.ResourceMemory]
	if restarted || !limited || wasLimited && limit.Cmp(old) >= 0 {
		return nil
	}
	what := map[bool]string{true: "decreased", false: "added"}[wasLimited]
	return field.ErrorList{field.Forbidden(at.Child("limits").Key("memory"), "memory limits cannot be "+what+" unless resizePolicy is RestartContainer")}
}

// keepsAmounts requires that no requested amount is removed; what is the word for it in messages.
func keepsAmounts(r, before *corev1.ResourceRequirements, what string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	gone := func(after, before corev1.ResourceList) bool {
		for name := range before {
			if _, ok := after[name]; !ok {
				return true
			}
		}
		return false
	}
	if gone(r.Limits, before.Limits) {
		errs.Forbidden(at.Child("limits"), what+" limits cannot be removed")
	}
	if gone(r.Requests, before.Requests) {
		errs.Forbidden(at.Child("requests"), what+" requests cannot be removed")
	}
	return errs.List()
}
