package security

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// violations collects how a pod violates a policy, in the server's words. Values are formatted as in the releases that
// had policies, which today's library no longer does: composite values in Go syntax, nil pointers as "null" (PSP-50).
type violations struct {
	policy  *builtin.PodSecurityPolicy
	release *kubeversion.Release
	texts   []string
}

func (v *violations) forbidden(at, detail string) {
	v.texts = append(v.texts, at+": Forbidden: "+detail)
}

func (v *violations) required(at, detail string) {
	text := at + ": Required value"
	if detail != "" {
		text += ": " + detail
	}
	v.texts = append(v.texts, text)
}

func (v *violations) invalid(at string, value any, detail string) {
	written := fmt.Sprintf("%#v", value)
	if value == nil {
		written = `"null"`
	}
	text := fmt.Sprintf("%s: Invalid value: %s", at, written)
	if detail != "" {
		text += ": " + detail
	}
	v.texts = append(v.texts, text)
}

// violationsOf returns how the pod violates the policy, in the server's order: the pod, then its init containers, then
// the others.
func violationsOf(policy *builtin.PodSecurityPolicy, pod *corev1.Pod, release *kubeversion.Release) []string {
	v := &violations{policy: policy, release: release}
	v.podContext(pod)
	v.volumes(pod)
	v.runtimeClass(pod)
	for i := range pod.Spec.InitContainers {
		v.container(pod, &pod.Spec.InitContainers[i], fmt.Sprintf("spec.initContainers[%d]", i))
	}
	for i := range pod.Spec.Containers {
		v.container(pod, &pod.Spec.Containers[i], fmt.Sprintf("spec.containers[%d]", i))
	}
	return v.texts
}

func (v *violations) podContext(pod *corev1.Pod) {
	const at = "spec.securityContext"
	spec := &v.policy.Spec
	sc := pod.Spec.SecurityContext
	if sc == nil {
		sc = &corev1.PodSecurityContext{}
	}
	var fsGroup []int64
	if sc.FSGroup != nil {
		fsGroup = []int64{*sc.FSGroup}
	}
	v.groups(at+".fsGroup", &spec.FSGroup, fsGroup)
	v.groups(at+".supplementalGroups", &spec.SupplementalGroups, sc.SupplementalGroups)
	v.seccompAt(seccompPodAnnotation, podSeccomp(pod, v.release))
	v.seLinux(at+".seLinuxOptions", sc.SELinuxOptions)
	if pod.Spec.HostNetwork && !spec.HostNetwork {
		v.invalid(at+".hostNetwork", true, "Host network is not allowed to be used")
	}
	if pod.Spec.HostPID && !spec.HostPID {
		v.invalid(at+".hostPID", true, "Host PID is not allowed to be used")
	}
	if pod.Spec.HostIPC && !spec.HostIPC {
		v.invalid(at+".hostIPC", true, "Host IPC is not allowed to be used")
	}
	for i, sysctl := range sc.Sysctls {
		v.sysctl(fmt.Sprintf("pod.spec.securityContext.sysctls[%d]", i), sysctl.Name)
	}
}

// groups checks groups against a strategy. MustRunAs requires at least one group, MayRunAs does not. Existing groups
// have to be in a range.
func (v *violations) groups(at string, o *builtin.IDStrategyOptions, groups []int64) {
	if o == nil || o.Rule == builtin.RunAsAny {
		return
	}
	if len(groups) == 0 && o.Rule == builtin.MustRunAs {
		v.invalid(at, groups, "unable to validate empty groups against required ranges")
	}
	for _, g := range groups {
		if !inRanges(g, o.Ranges) {
			v.invalid(at, groups, fmt.Sprintf("group %d must be in the ranges: %v", g, o.Ranges))
		}
	}
}

func inRanges(id int64, ranges []builtin.IDRange) bool {
	return slices.ContainsFunc(ranges, func(r builtin.IDRange) bool { return r.Min <= id && id <= r.Max })
}

func (v *violations) seLinux(at string, is *corev1.SELinuxOptions) {
	must := requiredLabels(&v.policy.Spec)
	switch {
	case must == nil:
		return
	case is == nil:
		v.required(at, "")
		return
	}
	if !sameLevel(is.Level, must.Level) {
		v.invalid(at+".level", is.Level, "must be "+must.Level)
	}
	for _, part := range []struct{ name, is, must string }{
		{"role", is.Role, must.Role}, {"type", is.Type, must.Type}, {"user", is.User, must.User},
	} {
		if part.is != part.must {
			v.invalid(at+"."+part.name, part.is, "must be "+part.must)
		}
	}
}

// sameLevel compares levels such as s0:c1,c2, where the order of categories does not matter.
func sameLevel(a, b string) bool {
	if a == b {
		return true
	}
	sensitivityA, categoriesA, okA := strings.Cut(a, ":")
	sensitivityB, categoriesB, okB := strings.Cut(b, ":")
	sorted := func(list string) []string { return slices.Sorted(slices.Values(strings.Split(list, ","))) }
	return okA && okB && sensitivityA == sensitivityB && slices.Equal(sorted(categoriesA), sorted(categoriesB))
}

// sysctl checks a sysctl (PSP-51).
func (v *violations) sysctl(at, name string) {
	matches := func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return pattern == name || open && strings.HasPrefix(name, prefix)
	}
	switch {
	case slices.ContainsFunc(v.policy.Spec.ForbiddenSysctls, matches):
		v.forbidden(at, fmt.Sprintf("sysctl %q is not allowed", name))
	case v.isSafe(name), slices.ContainsFunc(v.policy.Spec.AllowedUnsafeSysctls, matches):
	default:
		v.forbidden(at, fmt.Sprintf("unsafe sysctl %q is not allowed", name))
	}
}

func (v *violations) isSafe(sysctl string) bool {
	switch sysctl {
	case "kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies":
		return true
	case "net.ipv4.ping_group_range":
		return v.release.Has(kubeversion.PingGroupSysctlSafe)
	case "net.ipv4.ip_unprivileged_port_start":
		return v.release.Has(kubeversion.UnprivilegedPortSysctlSafe)
	}
	return false
}

func (v *violations) runtimeClass(pod *corev1.Pod) {
	o, name := v.policy.Spec.RuntimeClass, pod.Spec.RuntimeClassName
	if o == nil || name == nil || slices.Contains(o.Allowed, "*") || slices.Contains(o.Allowed, *name) {
		return
	}
	v.invalid("spec.runtimeClassName", *name, "")
}
