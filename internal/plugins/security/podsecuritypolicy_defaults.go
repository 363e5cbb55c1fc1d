package security

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// filledIn returns the pod with the policy's defaults for the fields that it leaves open (PSP-20 to PSP-37).
func filledIn(policy *builtin.PodSecurityPolicy, pod *corev1.Pod, release *kubeversion.Release) *corev1.Pod {
	pod = pod.DeepCopy()
	spec := &policy.Spec
	empty := pod.Spec.SecurityContext == nil
	if empty {
		pod.Spec.SecurityContext = &corev1.PodSecurityContext{}
	}
	sc := pod.Spec.SecurityContext
	if sc.SupplementalGroups == nil && spec.SupplementalGroups.Rule == builtin.MustRunAs {
		sc.SupplementalGroups = []int64{spec.SupplementalGroups.Ranges[0].Min}
	}
	if sc.FSGroup == nil {
		sc.FSGroup = leastID(&spec.FSGroup)
	}
	if sc.SELinuxOptions == nil {
		sc.SELinuxOptions = requiredLabels(spec)
	}
	fillInSeccomp(policy, pod, release)
	if spec.RuntimeClass != nil && pod.Spec.RuntimeClassName == nil {
		pod.Spec.RuntimeClassName = spec.RuntimeClass.Default
	}
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			fillInContainer(policy, pod, &list[i])
		}
	}
	if empty && semantic.DeepEqual(sc, &corev1.PodSecurityContext{}) {
		pod.Spec.SecurityContext = nil
	}
	return pod
}

// leastID returns the first ID that a strategy allows, if it requires one.
func leastID(o *builtin.IDStrategyOptions) *int64 {
	if o == nil || o.Rule != builtin.MustRunAs {
		return nil
	}
	return &o.Ranges[0].Min
}

func requiredLabels(spec *builtin.PodSecurityPolicySpec) *corev1.SELinuxOptions {
	if spec.SELinux.Rule != builtin.MustRunAs {
		return nil
	}
	return spec.SELinux.Options
}

// fillInContainer fills in what neither the container nor its pod sets.
func fillInContainer(policy *builtin.PodSecurityPolicy, pod *corev1.Pod, c *corev1.Container) {
	spec := &policy.Spec
	is := effectiveContext(pod, c)
	set := is.own // a copy: new values are set on the container itself
	if is.user == nil {
		is.user = leastID(&spec.RunAsUser)
		set.RunAsUser = is.user
	}
	if is.group == nil {
		set.RunAsGroup = leastID(spec.RunAsGroup)
	}
	if is.seLinux == nil {
		set.SELinuxOptions = requiredLabels(spec)
	}
	fillInAppArmor(policy, pod, c)
	if is.nonRoot == nil && is.user == nil && spec.RunAsUser.Rule == builtin.MustRunAsNonRoot {
		set.RunAsNonRoot = yes()
	}
	set.Capabilities = filledCapabilities(spec, set.Capabilities)
	if set.ReadOnlyRootFilesystem == nil && spec.ReadOnlyRootFilesystem {
		set.ReadOnlyRootFilesystem = yes()
	}
	if set.AllowPrivilegeEscalation == nil {
		set.AllowPrivilegeEscalation = spec.DefaultAllowEscalation
	}
	if set.AllowPrivilegeEscalation == nil && !allowsEscalation(spec) {
		set.AllowPrivilegeEscalation = spec.AllowEscalation
	}
	if c.SecurityContext != nil || set != (corev1.SecurityContext{}) {
		c.SecurityContext = &set
	}
}

func yes() *bool { b := true; return &b }

// allowsEscalation reports whether processes may gain privileges, which is the default of a policy.
func allowsEscalation(spec *builtin.PodSecurityPolicySpec) bool {
	return spec.AllowEscalation == nil || *spec.AllowEscalation
}

// filledCapabilities returns the capabilities of a container together with those of the policy (PSP-35).
func filledCapabilities(spec *builtin.PodSecurityPolicySpec, own *corev1.Capabilities) *corev1.Capabilities {
	var add, drop []corev1.Capability
	if own != nil {
		add, drop = own.Add, own.Drop
	}
	allAdd, allDrop := setOf(add), setOf(drop)
	for _, c := range spec.DefaultAddCapabilities {
		if !slices.Contains(drop, c) {
			allAdd[c] = true
		}
	}
	for _, c := range spec.RequiredDropCapabilities {
		allDrop[c] = true
	}
	if len(allAdd) == len(setOf(add)) && len(allDrop) == len(setOf(drop)) {
		return own
	}
	return &corev1.Capabilities{Add: slices.Sorted(maps.Keys(allAdd)), Drop: slices.Sorted(maps.Keys(allDrop))}
}

func setOf(list []corev1.Capability) map[corev1.Capability]bool {
	set := map[corev1.Capability]bool{}
	for _, c := range list {
		set[c] = true
	}
	return set
}

// A containerContext is the effective security context of a container: its own fields, else those of its pod.
type containerContext struct {
	own         corev1.SecurityContext
	user, group *int64
	nonRoot     *bool
	seLinux     *corev1.SELinuxOptions
}

func effectiveContext(pod *corev1.Pod, c *corev1.Container) containerContext {
	var is containerContext
	if c.SecurityContext != nil {
		is.own = *c.SecurityContext
	}
	is.user, is.group, is.nonRoot, is.seLinux = is.own.RunAsUser, is.own.RunAsGroup, is.own.RunAsNonRoot, is.own.SELinuxOptions
	sc := pod.Spec.SecurityContext
	if sc == nil {
		return is
	}
	if is.user == nil {
		is.user = sc.RunAsUser
	}
	if is.group == nil {
		is.group = sc.RunAsGroup
	}
	if is.nonRoot == nil {
		is.nonRoot = sc.RunAsNonRoot
	}
	if is.seLinux == nil {
		is.seLinux = sc.SELinuxOptions
	}
	return is
}
