package security

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/builtin"
)

func (v *violations) container(pod *corev1.Pod, c *corev1.Container, path string) {
	spec := &v.policy.Spec
	at := path + ".securityContext"
	is := effectiveContext(pod, c)
	v.user(at, is)
	var groups []int64
	if is.group != nil {
		groups = []int64{*is.group}
	}
	v.groups(at, spec.RunAsGroup, groups)
	v.seLinux(at+".seLinuxOptions", is.seLinux)
	v.appArmor(pod, c)
	v.seccompAt(seccompContainerAnnotations+c.Name, containerSeccomp(pod, c, v.release))
	if isPrivileged(*c) && !spec.Privileged {
		v.invalid(at+".privileged", true, "Privileged containers are not allowed")
	}
	v.procMount(at, is)
	v.capabilities(at+".capabilities", is.own.Capabilities)
	v.hostPorts(path, c)
	v.rootFilesystem(at+".readOnlyRootFilesystem", is)
	if escalates := is.own.AllowPrivilegeEscalation; !allowsEscalation(spec) && (escalates == nil || *escalates) {
		var value any
		if escalates != nil {
			value = *escalates
		}
		v.invalid(at+".allowPrivilegeEscalation", value, "Allowing privilege escalation for containers is not allowed")
	}
}

func (v *violations) user(at string, is containerContext) {
	o := v.policy.Spec.RunAsUser
	switch {
	case o.Rule == builtin.MustRunAs && is.user == nil:
		v.required(at+".runAsUser", "")
	case o.Rule == builtin.MustRunAs && !inRanges(*is.user, o.Ranges):
		v.invalid(at+".runAsUser", *is.user, fmt.Sprintf("must be in the ranges: %v", o.Ranges))
	case o.Rule != builtin.MustRunAsNonRoot:
	case is.nonRoot == nil && is.user == nil:
		v.required(at+".runAsNonRoot", "must be true")
	case is.nonRoot != nil && !*is.nonRoot:
		v.invalid(at+".runAsNonRoot", false, "must be true")
	case is.user != nil && *is.user == 0:
		v.invalid(at+".runAsUser", *is.user, "running with the root UID is forbidden")
	}
}

func (v *violations) procMount(at string, is containerContext) {
	mount := corev1.DefaultProcMount
	if is.own.ProcMount != nil {
		mount = *is.own.ProcMount
	}
	allowed := v.policy.Spec.AllowedProcMountTypes
	if len(allowed) == 0 {
		allowed = []corev1.ProcMountType{corev1.DefaultProcMount}
	}
	if !slices.Contains(allowed, mount) {
		v.invalid(at+".procMount", mount, "ProcMountType is not allowed")
	}
}

// capabilities allows everything that is set if all capabilities may be added.
func (v *violations) capabilities(at string, is *corev1.Capabilities) {
	spec := &v.policy.Spec
	if is == nil {
		if len(spec.DefaultAddCapabilities) > 0 || len(spec.RequiredDropCapabilities) > 0 {
			v.invalid(at, nil, "required capabilities are not set on the securityContext")
		}
		return
	}
	if slices.Contains(spec.AllowedCapabilities, "*") {
		return
	}
	for _, c := range is.Add {
		if !slices.Contains(spec.DefaultAddCapabilities, c) && !slices.Contains(spec.AllowedCapabilities, c) {
			v.invalid(at+".add", string(c), "capability may not be added")
		}
	}
	for _, c := range spec.RequiredDropCapabilities {
		if !slices.Contains(is.Drop, c) {
			v.invalid(at+".drop", capabilityList(is.Drop), string(c)+" is required to be dropped but was not found")
		}
	}
}

// A capabilityList is formatted with the name of the server's internal type.
type capabilityList []corev1.Capability

func (l capabilityList) GoString() string {
	if l == nil {
		return "[]core.Capability(nil)"
	}
	var quoted []string
	for _, c := range l {
		quoted = append(quoted, fmt.Sprintf("%q", string(c)))
	}
	return "[]core.Capability{" + strings.Join(quoted, ", ") + "}"
}

func (v *violations) hostPorts(path string, c *corev1.Container) {
	ranges := v.policy.Spec.HostPorts
	var allowed []string
	for _, r := range ranges {
		if r.Min == r.Max {
			allowed = append(allowed, fmt.Sprint(r.Min))
			continue
		}
		allowed = append(allowed, fmt.Sprintf("%d-%d", r.Min, r.Max))
	}
	for _, p := range c.Ports {
		inside := func(r builtin.HostPortRange) bool { return r.Min <= p.HostPort && p.HostPort <= r.Max }
		if p.HostPort > 0 && !slices.ContainsFunc(ranges, inside) {
			v.invalid(path+".hostPort", p.HostPort, fmt.Sprintf("Host port %d is not allowed to be used. Allowed ports: [%s]",
				p.HostPort, strings.Join(allowed, ",")))
		}
	}
}

func (v *violations) rootFilesystem(at string, is containerContext) {
	readOnly := is.own.ReadOnlyRootFilesystem
	switch {
	case !v.policy.Spec.ReadOnlyRootFilesystem:
	case readOnly == nil:
		v.invalid(at, nil, "ReadOnlyRootFilesystem may not be nil and must be set to true")
	case !*readOnly:
		v.invalid(at, false, "ReadOnlyRootFilesystem must be set to true")
	}
}
