// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package core

import (
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// validatePod checks a pod. On create, the pod may not have what only running pods may have.
func validatePod(p *corev1.Pod, r rules.Request) field.ErrorList {
	if r.Subresource == "status" || r.Subresource == "resize" && len(unresizable(p, r.Old.(*corev1.Pod), r)) > 0 {
		return nil
	}
	return rules.Located(rules.SpecPath, func(at *field.Path) field.ErrorList { return validatePodAt(p, at, r) })
}

func validatePodAt(p *corev1.Pod, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(pod.Annotations(p.Annotations, &p.Spec, rules.AnnotationsPath, r))
	errs.Add(pod.ValidateSpec(&p.Spec, p, at, r))
	errs.Add(pod.WorkloadReference(p.Annotations, at))
	if p.Spec.ServiceAccountName == "" {
		errs.Add(noTokens(p.Spec.Volumes, rules.Child(at, "volumes")))
	}
	for i := range p.Spec.Containers {
		errs.Add(pod.TrimmedImage(&p.Spec.Containers[i], rules.Nth(rules.Child(at, "containers"), i)))
	}
	for i := range p.Spec.InitContainers {
		errs.Add(pod.TrimmedImage(&p.Spec.InitContainers[i], rules.Nth(rules.Child(at, "initContainers"), i)))
	}
	if !r.Release.Has(kubeversion.PodIPsOfStatus) {
		errs.Add(podIPFaults(&p.Status, &corev1.PodStatus{}, field.NewPath("status", "podIPs"), r))
	}
	if r.Old != nil {
		return errs.List()
	}
	if len(p.Spec.EphemeralContainers) > 0 {
		errs.Forbidden(rules.Child(at, "ephemeralContainers"), "cannot be set on create")
	}
	if p.Spec.NodeName != "" && len(p.Spec.SchedulingGates) > 0 {
		errs.Forbidden(rules.Child(at, "nodeName"), "cannot be set until all schedulingGates have been cleared")
	}
	errs.Add(pod.SeccompAnnotations(&p.ObjectMeta, &p.Spec, at))
	errs.Add(pod.AppArmorAnnotations(&p.ObjectMeta, &p.Spec, at))
	return errs.List()
}

// noTokens refuses service account tokens in a pod without a service account.
func noTokens(volumes []corev1.Volume, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, v := range volumes {
		if v.Projected == nil {
			continue
		}
		for j, s := range v.Projected.Sources {
			if s.ServiceAccountToken != nil {
				errs.Forbidden(rules.Child(rules.Nth(rules.Child(rules.Nth(at, i), "projected", "sources"), j), "serviceAccountToken"), "must not be specified when serviceAccountName is not set")
			}
		}
	}
	return errs.List()
}

// validatePodUpdate checks the parts of a running pod that must not change.
func validatePodUpdate(p, old *corev1.Pod, r rules.Request) field.ErrorList {
	if in := rules.InitializersOf(old); in != nil && len(in.Pending) > 0 && r.Release.Enabled("Initializers") {
		// kubernetes/kubernetes@v1.13.12:pkg/registry/core/pod/strategy.go, isUpdatingUninitializedPod (IN-07)
		if r.Subresource == "status" {
			return field.ErrorList{field.Forbidden(field.NewPath("status"), "must not update status when the object is uninitialized")}
		}
		return nil
	}
	switch r.Subresource {
	case "status":
		var errs rules.Errors
		errs.Add(pod.KeepsAnnotations(p, old, rules.AnnotationsPath))
		errs.Add(pod.Annotations(p.Annotations, &p.Spec, rules.AnnotationsPath, r))
		errs.Add(podStatus(p, old, r))
		return errs.List()
	case "ephemeralcontainers":
		if rules.Has(old.Annotations, corev1.MirrorPodAnnotationKey) && r.Release.Has(kubeversion.StaticPodsWithoutEphemeral) {
			return field.ErrorList{field.Forbidden(field.NewPath(""), "static pods do not support ephemeral containers")}
		}
		return keepsEphemeral(&p.Spec, &old.Spec, rules.SpecPath.Child("ephemeralContainers"), r)
	case "resize":
		return validateResize(p, old, r)
	}
	var errs rules.Errors
	errs.Add(pod.KeepsAnnotations(p, old, rules.AnnotationsPath))
	errs.Add(pod.Annotations(p.Annotations, &p.Spec, rules.AnnotationsPath, r))
	for _, list := range []struct {
		name          string
		after, before []corev1.Container
	}{{"containers", p.Spec.Containers, old.Spec.Containers}, {"initContainers", p.Spec.InitContainers, old.Spec.InitContainers}} {
		at := rules.SpecPath.Child(list.name)
		if len(list.after) != len(list.before) {
			errs.Forbidden(at, "pod updates may not add or remove containers")
			return errs.List()
		}
		for i, c := range list.after {
			errs.Add(rules.Required(c.Image, at.Index(i).Child("image")))
			errs.Add(pod.TrimmedImage(&c, at.Index(i)))
		}
	}
	wrong, stop := keepsDeadline(p.Spec.ActiveDeadlineSeconds, old.Spec.ActiveDeadlineSeconds, rules.SpecPath.Child("activeDeadlineSeconds"))
	if errs.Add(wrong); stop {
		return errs.List()
	}
	errs.Add(keepsTolerations(p.Spec.Tolerations, old.Spec.Tolerations, rules.SpecPath.Child("tolerations"), r))
	errs.Add(onlyFewerGates(p.Spec.SchedulingGates, old.Spec.SchedulingGates, rules.SpecPath.Child("schedulingGates")))
	errs.Add(keepsClass(p, old, r))
	errs.Add(keepsPodSpec(p, old, r))
	return errs.List()
}

// keepsClass requires a changed spec to keep the class of the pod. Since 1.32 no field that an update may change
// affects it, and before 1.29 it was only required for an alpha version of resizing, which compared the classes that
// follow from both specs (kubernetes/kubernetes:pkg/apis/core/validation/validation.go of those releases).
func keepsClass(p, old *corev1.Pod, r rules.Request) field.ErrorList {
	kept, resized := r.Release.Has(kubeversion.QOSClassKept), r.Release.Has(kubeversion.ResizesKeepQOSClass)
	if !kept && !resized || r.Release.Has(kubeversion.QOSClassImmutable) || semantic.DeepEqual(p.Spec, old.Spec) {
		return nil
	}
	class := podresources.QOSClass(&p.Spec, r.Release)
	before, shown := classOf(old, r), p.Status.QOSClass
	if !kept {
		before, shown = podresources.QOSClass(&old.Spec, r.Release), class
	}
	return rules.Unless(before == class, rules.MetadataPath, shown, "Pod QoS is immutable")
}

func keepsDeadline(n, old *int64, at *field.Path) (errs field.ErrorList, stop bool) {
	switch {
	case n == nil && old == nil:
		return nil, false
	case n == nil:
		return field.ErrorList{field.Invalid(at, n, "must not update from a positive integer to nil value")}, false
	case *n < 0 || *n > math.MaxInt32:
		return field.ErrorList{field.Invalid(at, *n, utilvalidation.InclusiveRangeError(0, math.MaxInt32))}, true
	case old != nil && *old < *n:
		return field.ErrorList{field.Invalid(at, *n, "must be less than or equal to previous value")}, true
	}
	return nil, false
}

// keepsTolerations allows tolerations to be added, and their duration to change.
func keepsTolerations(after, before []corev1.Toleration, at *field.Path, r rules.Request) field.ErrorList {
	for _, old := range before {
		same := func(t corev1.Toleration) bool {
			old.TolerationSeconds = t.TolerationSeconds
			return semantic.DeepEqual(old, t)
		}
		if !slices.ContainsFunc(after, same) {
			return field.ErrorList{field.Forbidden(at, "existing toleration can not be modified except its tolerationSeconds")}
		}
	}
	return pod.Tolerations(after, pod.ComparesTaints(r), r.Release, at)
}

func onlyFewerGates(after, before []corev1.PodSchedulingGate, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, g := range after {
		if !slices.Contains(before, g) {
			errs.Forbidden(at.Index(i).Child("name"), fmt.Sprintf("only deletion is allowed, but found new scheduling gate '%s'", g.Name))
		}
	}
	return errs.List()
}

// mutablePodFields lists the fields that an update may change, in the server's words.
const mutablePodFields = "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`," +
	"`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"

// keepsPodSpec compares the specs without the mutable fields.
func keepsPodSpec(p, replaced *corev1.Pod, r rules.Request) field.ErrorList {
	sameWorkload := moved.Kept(p.Annotations, pod.WorkloadReferencePath) == moved.Kept(replaced.Annotations, pod.WorkloadReferencePath)
	old := &replaced.Spec
	if semantic.DeepEqual(&p.Spec, old) && sameWorkload {
		return nil
	}
	s := p.Spec.DeepCopy()
	for i := range s.Containers {
		s.Containers[i].Image = old.Containers[i].Image
	}
	for i := range s.InitContainers {
		s.InitContainers[i].Image = old.InitContainers[i].Image
	}
	if len(s.InitContainers) == 0 {
		s.InitContainers = nil
	}
	s.ActiveDeadlineSeconds, s.SchedulingGates, s.Tolerations = old.ActiveDeadlineSeconds, old.SchedulingGates, old.Tolerations
	if before, after := old.TerminationGracePeriodSeconds, s.TerminationGracePeriodSeconds; before != nil && *before < 0 && after != nil && *after == 1 && r.Release.Has(kubeversion.NegativeGraceMutable) {
		s.TerminationGracePeriodSeconds = before
	}
	var errs rules.Errors
	if len(old.SchedulingGates) > 0 {
		errs.Add(narrows(s, old))
	}
	if !r.Release.Has(kubeversion.InternalTypesAsV1) {
		s.DeprecatedServiceAccount = old.DeprecatedServiceAccount // the internal version does not have it
	}
	mutable := mutablePodFields
	if resizesByUpdate(r) {
		mutable += ",`spec.containers[*].resources` (for CPU/memory only)"
		for i := range s.Containers {
			withoutAmountsOf(&s.Containers[i].Resources, &old.Containers[i].Resources, r)
		}
	}
	if !semantic.DeepEqual(s, old) || !sameWorkload {
		errs.Forbidden(rules.SpecPath, "pod updates may not change fields other than "+mutable+"\n"+rules.SpecDiff(r.Release, rules.PartOf(replaced.Annotations, *old), rules.PartOf(p.Annotations, *s)))
	}
	return errs.List()
}

// narrows allows a pod that waits at a scheduling gate to be restricted to fewer nodes, and reverts those changes in s.
func narrows(s, old *corev1.PodSpec) field.ErrorList {
	var errs rules.Errors
	for key, value := range old.NodeSelector {
		if now, ok := s.NodeSelector[key]; !ok || now != value {
			errs.Invalid(rules.SpecPath.Child("nodeSelector"), s.NodeSelector, "only additions to spec.nodeSelector are allowed (no mutations or deletions)")
			break
		}
	}
	s.NodeSelector = old.NodeSelector
	after, before := nodeAffinityOf(s), nodeAffinityOf(old)
	if semantic.DeepEqual(after, before) {
		return errs.List()
	}
	errs.Add(narrowsAffinity(after, before, rules.SpecPath.Child("affinity", "nodeAffinity", pod.RequiredTerms, "nodeSelectorTerms")))
	switch a := s.Affinity; {
	case a == nil:
		s.Affinity = &corev1.Affinity{NodeAffinity: before}
	case old.Affinity == nil && a.PodAffinity == nil && a.PodAntiAffinity == nil:
		s.Affinity = nil
	default:
		a.NodeAffinity = before
	}
	return errs.List()
}

func nodeAffinityOf(s *corev1.PodSpec) *corev1.NodeAffinity {
	if s.Affinity == nil {
		return nil
	}
	return s.Affinity.NodeAffinity
}

func narrowsAffinity(a, old *corev1.NodeAffinity, at *field.Path) field.ErrorList {
	if old == nil || old.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	before := old.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	var after []corev1.NodeSelectorTerm
	if a != nil && a.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		after = a.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	}
	if len(before) > 0 && len(before) != len(after) {
		return field.ErrorList{field.Invalid(at, rules.AsInternal(after), "no additions/deletions to non-empty NodeSelectorTerms list are allowed")}
	}
	var errs rules.Errors
	for i := range before {
		empty := len(before[i].MatchExpressions)+len(before[i].MatchFields) == 0
		kept := begins(after[i].MatchExpressions, before[i].MatchExpressions) && begins(after[i].MatchFields, before[i].MatchFields)
		more := len(after[i].MatchExpressions)+len(after[i].MatchFields) > 0
		errs.Add(rules.Unless(kept && !(empty && more), at.Index(i), rules.AsInternal(after[i]), "only additions are allowed (no mutations or deletions)"))
	}
	return errs.List()
}

func begins(after, before []corev1.NodeSelectorRequirement) bool {
	return len(after) >= len(before) && semantic.DeepEqual(after[:len(before)], before)
}

// keepsEphemeral only allows ephemeral containers to be added.
func keepsEphemeral(s, old *corev1.PodSpec, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	for _, before := range old.EphemeralContainers {
		i := slices.IndexFunc(s.EphemeralContainers, func(c corev1.EphemeralContainer) bool { return c.Name == before.Name })
		switch {
		case i < 0:
			errs.Forbidden(at, fmt.Sprintf("existing ephemeral containers %q may not be removed\n", before.Name))
		case !semantic.DeepEqual(s.EphemeralContainers[i], before):
			errs.Forbidden(at, fmt.Sprintf("existing ephemeral containers %q may not be changed\n%v", before.Name, rules.InternalDiff(r.Release, before, s.EphemeralContainers[i])))
		}
	}
	return errs.List()
}

// podStatus checks the status of a pod.
func podStatus(p, old *corev1.Pod, r rules.Request) field.ErrorList {
	at := field.NewPath("status")
	s, before := &p.Status, &old.Status
	var errs rules.Errors
	for i, c := range s.Conditions {
		errs.Add(rules.Unless(c.ObservedGeneration >= 0, at.Child("conditions").Index(i).Child("observedGeneration"), c.ObservedGeneration, "must be a non-negative integer"))
		if c.Type == corev1.PodReady || c.Type == corev1.PodScheduled || c.Type == corev1.PodInitialized {
			continue
		}
		of := at
		if !r.Release.Has(kubeversion.PodStatusPaths) {
			of = rules.MetadataPath
		}
		errs.Add(rules.QualifiedName(string(c.Type), of.Child("conditions").Index(i).Child("Type")))
	}
	if p.Spec.NodeName != old.Spec.NodeName {
		errs.Forbidden(at.Child("nodeName"), "may not be changed directly")
	}
	if n := s.NominatedNodeName; n != before.NominatedNodeName && n != "" {
		errs.Add(rules.Subdomain(n, at.Child("nominatedNodeName")))
		if old.Spec.NodeName != "" && r.Release.Enabled("ClearingNominatedNodeNameAfterBinding") {
			errs.Forbidden(at.Child("nominatedNodeName"), "may not be set on pods that are already bound to a node")
		}
	}
	errs.Add(rules.Unless(s.ObservedGeneration >= 0, at.Child("observedGeneration"), s.ObservedGeneration, "must be a non-negative integer"))
	if r.Release.Has(kubeversion.QOSClassImmutable) {
		errs.Add(validation.ValidateImmutableField(s.QOSClass, before.QOSClass, at.Child("qosClass")))
	}
	errs.Add(containerStates(p, old, at))
	errs.Add(claimStatuses(p, at.Child("resourceClaimStatuses"), r))
	errs.Add(extendedClaim(p, at.Child("extendedResourceClaimStatus")))
	if r.Release.Has(kubeversion.AllocatableClaimsMapped) {
		errs.Add(allocatableClaims(p, at.Child("nodeAllocatableResourceClaimStatuses")))
	} else {
		errs.Add(allocatableClaimsUnmapped(p, at.Child("nodeAllocatableResourceClaimStatuses")))
	}
	errs.Add(volumeHealth(p, at.Child("volumeHealth")))
	for name, list := range rules.Sorted(map[string][]corev1.ContainerStatus{
		"containerStatuses": s.ContainerStatuses, "initContainerStatuses": s.InitContainerStatuses, "ephemeralContainerStatuses": s.EphemeralContainerStatuses,
	}) {
		errs.Add(containerUsers(p, list, at.Child(name), r))
	}
	if r.Release.Has(kubeversion.PodIPsOfStatus) {
		errs.Add(validatePodIPs(s, before, at.Child("podIPs"), r))
	}
	if len(s.HostIPs) > 0 {
		errs.Add(rules.Unless(s.HostIP == s.HostIPs[0].IP, at.Child("hostIPs").Index(0).Child("ip"), s.HostIPs[0].IP, "must be equal to `hostIP`"))
	}
	errs.Add(podAddresses(hostIPs(s), hostIPs(before), rules.AsInternal(s.HostIPs), at.Child("hostIPs"), r))
	if !r.Release.Has(kubeversion.FamiliesSuffice) {
		errs.Add(rules.Repeated(s.HostIPs, at.Child("hostIPs")))
	}
	errs.Add(allocatedStatuses(p, at, r))
	if r.Release.Enabled("ImageVolumeWithDigest") {
		errs.Add(imageVolumeStatuses(s, at))
	}
	return errs.List()
}

// claimStatuses checks the statuses of the claims of a pod. The pod must have each of these claims.
func claimStatuses(p *corev1.Pod, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	names, nameOfClaim := map[string]bool{}, "resourceClaimName"
	if !r.Release.Has(kubeversion.ClaimStatusNamePath) {
		nameOfClaim = "name"
	}
	for i, s := range p.Status.ResourceClaimStatuses {
		at := at.Index(i)
		if !slices.ContainsFunc(p.Spec.ResourceClaims, func(c corev1.PodResourceClaim) bool { return c.Name == s.Name }) {
			errs.Invalid(at.Child("name"), s.Name, "must match the name of an entry in `spec.resourceClaims`")
		}
		if names[s.Name] {
			errs.Duplicate(at.Child("name"), s.Name)
		}
		names[s.Name] = true
		if s.ResourceClaimName != nil {
			errs.Add(rules.Faults(at.Child(nameOfClaim), *s.ResourceClaimName, rules.DNSSubdomain(*s.ResourceClaimName, false)))
		}
	}
	return errs.List()
}

// containerUsers checks the users that containers run as. On Windows they are not known.
func containerUsers(p *corev1.Pod, all []corev1.ContainerStatus, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	for i, c := range all {
		if c.User == nil || c.User.Linux == nil {
			continue
		}
		at, u := at.Index(i), c.User.Linux
		if r.Release.Has(kubeversion.PodStatusPaths) {
			at = at.Child("user")
		}
		at = at.Child("linux")
		if p.Spec.OS != nil && p.Spec.OS.Name == corev1.Windows {
			errs.Forbidden(at, "cannot be set for a windows pod")
			continue
		}
		if r.Release.Has(kubeversion.LinuxUIDsUnsigned) {
			errs.Add(rules.Unless(0 <= u.UID && u.UID <= math.MaxUint32, at.Child("uid"), u.UID, fmt.Sprintf("must be between 0 and %d, inclusive", int64(math.MaxUint32))))
		} else {
			errs.Add(rules.Faults(at.Child("uid"), u.UID, utilvalidation.IsValidUserID(u.UID)))
		}
		errs.Add(rules.Faults(at.Child("gid"), u.GID, utilvalidation.IsValidGroupID(u.GID)))
		for j, g := range u.SupplementalGroups {
			errs.Add(rules.Faults(at.Child("supplementalGroups").Index(j), g, utilvalidation.IsValidGroupID(g)))
		}
	}
	return errs.List()
}

func podIPs(s *corev1.PodStatus) []string {
	return rules.OldValues(s.PodIPs, func(ip corev1.PodIP) string { return ip.IP })
}

func hostIPs(s *corev1.PodStatus) []string {
	return rules.OldValues(s.HostIPs, func(ip corev1.HostIP) string { return ip.IP })
}

// validatePodIPs checks the addresses in the status of a pod. Up to 1.21, errors are ignored if the old ones were invalid.
func validatePodIPs(s, before *corev1.PodStatus, at *field.Path, r rules.Request) field.ErrorList {
	if !r.Release.Has(kubeversion.PodIPsNotExcused) && len(podIPFaults(before, before, at, r)) > 0 {
		return nil
	}
	return podIPFaults(s, before, at, r)
}

func podIPFaults(s, before *corev1.PodStatus, at *field.Path, r rules.Request) field.ErrorList {
	if !rules.HasField(r.Release, s.OpenAPIModelName(), "podIPs") {
		return nil
	}
	var errs rules.Errors
	errs.Add(podAddresses(podIPs(s), podIPs(before), rules.AsInternal(s.PodIPs), at, r))
	if !r.Release.Has(kubeversion.FamiliesSuffice) {
		errs.Add(rules.Repeated(s.PodIPs, at))
	}
	return errs.List()
}

// podAddresses checks the addresses of a pod: one per family.
func podAddresses(ips, old []string, shown any, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	for i, ip := range ips {
		errs.Add(rules.Address(at.Index(i), ip, old, r))
	}
	if len(ips) < 2 {
		return errs.List()
	}
	both, err := netutils.IsDualStackIPStrings(ips)
	if err != nil {
		errs.Append(field.InternalError(at, fmt.Errorf("failed to check for dual stack with error:%v", err)))
	}
	errs.Add(rules.Unless(both && len(ips) == 2, at, shown, "may specify no more than one IP for each IP family"))
	return errs.List()
}

// containerStates requires terminated containers to stay so, unless they are restarted.
func containerStates(p, old *corev1.Pod, at *field.Path) field.ErrorList {
	s := &old.Spec
	var errs rules.Errors
	errs.Add(staysEnded(p.Status.ContainerStatuses, old.Status.ContainerStatuses, s.Containers, s.RestartPolicy, at.Child("containerStatuses")))
	errs.Add(staysEnded(p.Status.InitContainerStatuses, old.Status.InitContainerStatuses, s.InitContainers, s.RestartPolicy, at.Child("initContainerStatuses")))
	errs.Add(staysEnded(p.Status.EphemeralContainerStatuses, old.Status.EphemeralContainerStatuses, nil, "", at.Child("ephemeralContainerStatuses")))
	return errs.List()
}

func staysEnded(after, previous []corev1.ContainerStatus, containers []corev1.Container, policy corev1.RestartPolicy, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, before := range previous {
		j := slices.IndexFunc(after, func(now corev1.ContainerStatus) bool { return now.Name == before.Name })
		if before.State.Terminated == nil || j < 0 || after[j].State.Terminated != nil {
			continue
		}
		container := slices.IndexFunc(containers, func(c corev1.Container) bool { return c.Name == before.Name })
		if container < 0 || !startsAgain(&containers[container], policy, before.State.Terminated.ExitCode) {
			errs.Forbidden(at.Index(i).Child("state"), "may not be transitioned to non-terminated state")
		}
	}
	return errs.List()
}

// startsAgain reports whether a container that exited with that code is restarted.
func startsAgain(c *corev1.Container, ofPod corev1.RestartPolicy, code int32) bool {
	for _, rule := range c.RestartPolicyRules {
		if e := rule.ExitCodes; e != nil && slices.Contains(e.Values, code) == (e.Operator == corev1.ContainerRestartRuleOnExitCodesOpIn) {
			return true
		}
	}
	policy := ofPod
	if c.RestartPolicy != nil {
		policy = corev1.RestartPolicy(*c.RestartPolicy)
	}
	return policy == corev1.RestartPolicyAlways || policy == corev1.RestartPolicyOnFailure && code != 0
}
