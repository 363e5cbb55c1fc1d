// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package pod

import (
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A podCheck checks a pod or a pod template: kubernetes/kubernetes:pkg/apis/core/validation/validation.go.
type podCheck struct {
	release *kubeversion.Release
	spec    *corev1.PodSpec
	oldSpec *corev1.PodSpec                 // nil on create
	pod     *corev1.Pod                     // nil for a template
	volumes map[string]*corev1.VolumeSource // the valid ones
	claims  []string                        // names of its resource claims

	comparesTaints bool // tolerations may compare the values of taints
	resizesInit    bool // init containers may have a resizePolicy
	restartsAll    bool // rules may restart all containers
	keepsSysAdmin  bool // CAP_SYS_ADMIN is allowed without privilege escalation
}

func newPodCheck(s *corev1.PodSpec, pod *corev1.Pod, r rules.Request) *podCheck {
	old := oldSpec(r)
	k := &podCheck{release: r.Release, spec: s, oldSpec: old, pod: pod, comparesTaints: ComparesTaints(r)}
	k.resizesInit = r.Release.Has(kubeversion.InitContainersResized) && (r.Release.Enabled("InPlacePodVerticalScaling") || old != nil && slices.ContainsFunc(old.InitContainers, hasResizePolicy))
	k.restartsAll = r.Release.Enabled("RestartAllContainersOnContainerExits") || r.Release.Has(kubeversion.RestartAllContainers) && old != nil && slices.ContainsFunc(Containers(old), restartsAll)
	k.keepsSysAdmin = r.Release.Has(kubeversion.SysAdminExcused) && old != nil && slices.ContainsFunc(Containers(old), isSysAdmin)
	for _, c := range s.ResourceClaims {
		if c.Name != "" {
			k.claims = append(k.claims, c.Name)
		}
	}
	slices.Sort(k.claims)
	return k
}

func hasResizePolicy(c corev1.Container) bool { return len(c.ResizePolicy) > 0 }

func (k *podCheck) containers(all []corev1.Container, at *field.Path) field.ErrorList {
	if len(all) == 0 {
		return field.ErrorList{field.Required(at, "")}
	}
	return append(k.likeRegular(all, at), hostPorts(all, at)...)
}

// likeRegular checks containers by the rules for regular ones.
func (k *podCheck) likeRegular(all []corev1.Container, at *field.Path) field.ErrorList {
	var errs rules.Errors
	names := map[string]bool{}
	for i := range all {
		c, at := &all[i], rules.Nth(at, i)
		errs.Add(k.container(c, at))
		errs.Add(named(names, c.Name, at))
		errs.Add(k.restartRules(c, at, "may not be set for non-init containers"))
		errs.Add(k.lifecycle(c.Lifecycle, at))
		errs.Add(k.probes(c, at))
	}
	return errs.List()
}

const initRestarts rules.Excuse = "no restart of init containers on resize"

// initContainers checks the containers that run before the others. Those that are restarted may have everything that
// regular containers may have.
func (k *podCheck) initContainers(all []corev1.Container, at *field.Path) field.ErrorList {
	const sidecarsOnly = "may not be set for init containers without restartPolicy=Always"
	if !k.release.Has(kubeversion.ContainersCheckedApart) {
		return k.initContainersBefore(all, at)
	}
	var errs rules.Errors
	names := namesOf(k.spec.Containers)
	for i := range all {
		// They run one after the other. The server calls each of them the first.
		errs.Add(hostPorts(all[i:i+1], at))
		c, at := &all[i], rules.Nth(at, i)
		errs.Add(k.container(c, at))
		errs.Add(k.restartRules(c, at, ""))
		if c.Name != "" {
			errs.Add(named(names, c.Name, at))
		}
		if len(c.ResizePolicy) > 0 && !k.resizesInit {
			errs.Invalid(rules.Child(at, "resizePolicy"), rules.AsInternal(c.ResizePolicy), "must not be set for init containers")
		}
		if podresources.IsSidecar(c) {
			errs.Add(k.lifecycle(c.Lifecycle, at))
			errs.Add(k.probes(c, at))
			continue
		}
		for _, f := range []struct {
			name string
			set  bool
		}{
			{"lifecycle", c.Lifecycle != nil}, {"livenessProbe", c.LivenessProbe != nil},
			{"readinessProbe", c.ReadinessProbe != nil}, {"startupProbe", c.StartupProbe != nil},
		} {
			if f.set {
				errs.Forbidden(rules.Child(at, f.name), sidecarsOnly)
			}
		}
		for j, p := range c.ResizePolicy {
			if k.release.Has(kubeversion.InitContainersRestartOnResizeRefused) {
				errs.Add(initRestarts.Of(rules.Unless(p.RestartPolicy != corev1.RestartContainer, rules.Child(rules.Nth(rules.Child(at, "resizePolicy"), j), "restartPolicy"), p.RestartPolicy, "must not be set to 'RestartContainer' for non-sidecar initContainers")))
			}
		}
	}
	return errs.List()
}

// namesOf returns the names of the containers in lists.
func namesOf(lists ...[]corev1.Container) map[string]bool {
	names := map[string]bool{}
	for _, containers := range lists {
		for i := range containers {
			names[containers[i].Name] = true
		}
	}
	return names
}

// named records the name of a container, which must be unique.
func named(names map[string]bool, name string, at *field.Path) field.ErrorList {
	if names[name] {
		return field.ErrorList{field.Duplicate(rules.Child(at, "name"), name)}
	}
	names[name] = true
	return nil
}

// ephemeralContainers checks the containers for looking into a running pod, which may not request resources.
func (k *podCheck) ephemeralContainers(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	const notThere = "cannot be set for an Ephemeral Container"
	if len(s.EphemeralContainers) == 0 {
		return nil
	}
	names := namesOf(s.Containers, s.InitContainers)
	var errs rules.Errors
	for i := range s.EphemeralContainers {
		e, at := &s.EphemeralContainers[i], rules.Nth(at, i)
		c := (*corev1.Container)(&e.EphemeralContainerCommon)
		if k.release.Has(kubeversion.ContainersCheckedApart) {
			errs.Add(k.container(c, at))
			errs.Add(TrimmedImage(c, at))
			if e.TargetContainerName != "" && !HasContainer(s, e.TargetContainerName) {
				errs.Append(field.NotFound(rules.Child(at, "targetContainerName"), e.TargetContainerName))
			}
		} else {
			wrong, checked := k.ephemeralContainerBefore(e, names, at)
			errs.Add(wrong)
			if !checked {
				continue
			}
		}
		errs.Add(named(names, c.Name, at))
		for _, f := range []struct {
			name string
			set  bool
		}{
			{"ports", c.Ports != nil}, {"livenessProbe", c.LivenessProbe != nil}, {"readinessProbe", c.ReadinessProbe != nil},
			{"startupProbe", c.StartupProbe != nil}, {"lifecycle", c.Lifecycle != nil},
			{"securityContext", c.SecurityContext != nil && !k.release.Has(kubeversion.EphemeralSecurityContexts)},
			{"volumeDevices", c.VolumeDevices != nil && !k.release.Has(kubeversion.EphemeralVolumeDevices)},
			{"resources", c.Resources.Limits != nil || c.Resources.Requests != nil || c.Resources.Claims != nil},
			{"resizePolicy", c.ResizePolicy != nil}, {"restartPolicy", c.RestartPolicy != nil}, {"restartPolicyRules", c.RestartPolicyRules != nil},
		} {
			if f.set {
				errs.Forbidden(rules.Child(at, f.name), notThere)
			}
		}
		for j, m := range c.VolumeMounts {
			if !k.release.Has(kubeversion.EphemeralSubPathsRefused) {
				break
			}
			if m.SubPath != "" {
				errs.Forbidden(rules.Child(rules.Nth(rules.Child(at, "volumeMounts"), j), "subPath"), notThere)
			}
			if m.SubPathExpr != "" {
				errs.Forbidden(rules.Child(rules.Nth(rules.Child(at, "volumeMounts"), j), "subPathExpr"), notThere)
			}
		}
	}
	return errs.List()
}

// TrimmedImage checks the images of pods, but not of templates.
func TrimmedImage(c *corev1.Container, at *field.Path) field.ErrorList {
	return rules.Unless(c.Image == strings.TrimSpace(c.Image), rules.Child(at, "image"), c.Image, "must not have leading or trailing whitespace")
}

const (
	maxRestartRules     = 20
	maxRestartExitCodes = 255
	needsRestartPolicy  = "must specify restartPolicy when restart rules are used"
)

// restartRules checks the restart rules of a container. Up to 1.33 only init containers could have a restart policy,
// and only one that always restarts them. notBefore is the error for other containers then; it is empty for init
// containers.
func (k *podCheck) restartRules(c *corev1.Container, at *field.Path, notBefore string) field.ErrorList {
	var errs rules.Errors
	if !k.release.Has(kubeversion.ContainerRestartPolicy) {
		switch {
		case c.RestartPolicy == nil:
		case notBefore != "":
			errs.Forbidden(rules.Child(at, "restartPolicy"), notBefore)
		default:
			errs.Add(rules.Choice(*c.RestartPolicy, rules.Child(at, "restartPolicy"), corev1.ContainerRestartPolicyAlways))
		}
		return errs.List()
	}
	if len(c.RestartPolicyRules) > 0 && notBefore == "" {
		switch policy := c.RestartPolicy; {
		case policy == nil && !k.release.Has(kubeversion.InitRestartPolicyRequired):
			return nil
		case policy == nil:
			errs.Required(rules.Child(at, "restartPolicy"), needsRestartPolicy)
			return errs.List()
		case *policy == corev1.ContainerRestartPolicyAlways && !k.restartsAll:
			errs.Forbidden(rules.Child(at, "restartPolicyRules"), "restartPolicyRules are not allowed for init containers with restart policy Always")
			return errs.List()
		}
	}
	switch {
	case c.RestartPolicy != nil:
		errs.Add(rules.Choice(*c.RestartPolicy, rules.Child(at, "restartPolicy"), corev1.ContainerRestartPolicyAlways, corev1.ContainerRestartPolicyNever, corev1.ContainerRestartPolicyOnFailure))
	case len(c.RestartPolicyRules) > 0:
		errs.Required(rules.Child(at, "restartPolicy"), needsRestartPolicy)
	}
	if len(c.RestartPolicyRules) == 0 {
		return errs.List()
	}
	actions := restartActions
	if !k.restartsAll {
		actions = restartActions[:1]
	}
	at = rules.Child(at, "restartPolicyRules")
	atMost := func(most, n int, at *field.Path) {
		switch {
		case n <= most:
		case k.release.Has(kubeversion.RestartRulesCounted):
			errs.TooMany(at, n, most)
		default:
			errs.TooLong(at, "", most)
		}
	}
	atMost(maxRestartRules, len(c.RestartPolicyRules), at)
	for i, r := range c.RestartPolicyRules {
		at := rules.Nth(at, i)
		errs.Add(rules.Choice(r.Action, rules.Child(at, "action"), actions...))
		if r.ExitCodes == nil {
			errs.Required(rules.Child(at, "exitCodes"), "must be specified")
			continue
		}
		errs.Add(rules.Choice(r.ExitCodes.Operator, rules.Child(at, "exitCodes", "operator"), corev1.ContainerRestartRuleOnExitCodesOpIn, corev1.ContainerRestartRuleOnExitCodesOpNotIn))
		atMost(maxRestartExitCodes, len(r.ExitCodes.Values), rules.Child(at, "exitCodes", "values"))
	}
	return errs.List()
}

var restartActions = []corev1.ContainerRestartRuleAction{corev1.ContainerRestartRuleActionRestart, corev1.ContainerRestartRuleActionRestartAllContainers}

func restartsAll(c *corev1.Container) bool {
	return slices.ContainsFunc(c.RestartPolicyRules, func(r corev1.ContainerRestartRule) bool {
		return r.Action == corev1.ContainerRestartRuleActionRestartAllContainers
	})
}

func HasContainer(s *corev1.PodSpec, name string) bool {
	named := func(c corev1.Container) bool { return c.Name == name }
	return slices.ContainsFunc(s.Containers, named) || slices.ContainsFunc(s.InitContainers, named)
}

// container checks what containers of all kinds have.
func (k *podCheck) container(c *corev1.Container, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Given(rules.Child(at, "name"), c.Name, rules.DNS1123Label))
	errs.Add(rules.Required(c.Image, rules.Child(at, "image")))
	errs.Add(k.terminationMessagePolicy(c.TerminationMessagePolicy, rules.Child(at, "terminationMessagePolicy")))
	errs.Add(validatePullPolicy(c.ImagePullPolicy, rules.Child(at, "imagePullPolicy")))
	errs.Add(k.ports(c.Ports, rules.Child(at, "ports")))
	errs.Add(k.env(c.Env, rules.Child(at, "env")))
	errs.Add(k.envFrom(c.EnvFrom, rules.Child(at, "envFrom")))
	errs.Add(k.mounts(c, rules.Child(at, "volumeMounts")))
	errs.Add(k.devices(c, rules.Child(at, "volumeDevices")))
	errs.Add(ValidateResources(&c.Resources, ContainerResource, k.claims, k.release, rules.Child(at, "resources")))
	errs.Add(k.resizePolicy(c.ResizePolicy, rules.Child(at, "resizePolicy")))
	errs.Add(k.containerSecurity(c.SecurityContext, rules.Child(at, "securityContext")))
	return errs.List()
}

func (k *podCheck) terminationMessagePolicy(p corev1.TerminationMessagePolicy, at *field.Path) field.ErrorList {
	errs := rules.Choice(p, at, "", corev1.TerminationMessageReadFile, corev1.TerminationMessageFallbackToLogsOnError)
	if len(errs) > 0 && !k.release.Has(kubeversion.ContainersCheckedApart) {
		const known = "must be 'File' or 'FallbackToLogsOnError'"
		if p == "" {
			return field.ErrorList{field.Required(at, known)}
		}
		return field.ErrorList{field.Invalid(at, p, known)}
	}
	return errs
}

func validatePullPolicy(p corev1.PullPolicy, at *field.Path) field.ErrorList {
	return rules.Choice(p, at, "", corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)
}

func (k *podCheck) resizePolicy(policies []corev1.ContainerResizePolicy, at *field.Path) field.ErrorList {
	var errs rules.Errors
	seen := map[corev1.ResourceName]bool{}
	for i, p := range policies {
		if seen[p.ResourceName] {
			errs.Duplicate(rules.Nth(at, i), p.ResourceName)
		}
		seen[p.ResourceName] = true
		errs.Add(rules.Choice(p.ResourceName, at, "", corev1.ResourceCPU, corev1.ResourceMemory))
		errs.Add(rules.Choice(p.RestartPolicy, at, "", corev1.NotRequired, corev1.RestartContainer))
		errs.Add(rules.Unless(k.spec.RestartPolicy != corev1.RestartPolicyNever || p.RestartPolicy == corev1.NotRequired, at, p.RestartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"))
	}
	return errs.List()
}

func (k *podCheck) ports(ports []corev1.ContainerPort, at *field.Path) field.ErrorList {
	var errs rules.Errors
	names := map[string]bool{}
	for i, p := range ports {
		at := rules.Nth(at, i)
		if p.Name != "" {
			if wrong := utilvalidation.IsValidPortName(p.Name); len(wrong) > 0 {
				errs.Add(rules.Faults(rules.Child(at, "name"), p.Name, wrong))
			} else if names[p.Name] {
				errs.Duplicate(rules.Child(at, "name"), p.Name)
			}
			names[p.Name] = len(utilvalidation.IsValidPortName(p.Name)) == 0
		}
		if p.ContainerPort == 0 {
			errs.Required(rules.Child(at, "containerPort"), "")
		} else {
			errs.Add(portNumber(p.ContainerPort, rules.Child(at, "containerPort")))
		}
		if p.HostPort != 0 {
			errs.Add(portNumber(p.HostPort, rules.Child(at, "hostPort")))
		}
		errs.Add(rules.Choice(p.Protocol, rules.Child(at, "protocol"), "", corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP))
	}
	return errs.List()
}

// hostPorts requires that containers that run together do not use the same port of the host.
func hostPorts(all []corev1.Container, at *field.Path) field.ErrorList {
	var errs rules.Errors
	taken := map[string]bool{}
	for i, c := range all {
		for j, p := range c.Ports {
			if p.HostPort == 0 {
				continue
			}
			key := fmt.Sprintf("%s/%s/%d", p.Protocol, p.HostIP, p.HostPort)
			if taken[key] {
				errs.Duplicate(rules.Child(rules.Nth(rules.Child(rules.Nth(at, i), "ports"), j), "hostPort"), key)
			}
			taken[key] = true
		}
	}
	return errs.List()
}

// mounts checks the volume mounts of a container. Some errors are reported for the list of mounts.
func (k *podCheck) mounts(c *corev1.Container, list *field.Path) field.ErrorList {
	var errs rules.Errors
	paths := map[string]bool{}
	privileged := c.SecurityContext != nil && rules.IsTrue(c.SecurityContext.Privileged)
	for i, m := range c.VolumeMounts {
		at := rules.Nth(list, i)
		name, mountPath := rules.Child(at, "name"), rules.Child(at, "mountPath")
		errs.Add(rules.Required(m.Name, name))
		if k.volumes[m.Name] == nil {
			errs.Append(field.NotFound(name, m.Name))
		}
		errs.Add(rules.Required(m.MountPath, mountPath))
		errs.Add(rules.Unless(!paths[m.MountPath], mountPath, m.MountPath, "must be unique"))
		paths[m.MountPath] = true
		named := func(d corev1.VolumeDevice) bool { return d.Name == m.Name }
		placed := func(d corev1.VolumeDevice) bool { return d.DevicePath == m.MountPath }
		errs.Add(rules.Unless(!slices.ContainsFunc(c.VolumeDevices, named), name, m.Name, "must not already exist in volumeDevices"))
		errs.Add(rules.Unless(!slices.ContainsFunc(c.VolumeDevices, placed), mountPath, m.MountPath, "must not already exist as a path in volumeDevices"))
		if m.SubPath != "" {
			errs.Add(pathWithin(m.SubPath, rules.Child(list, "subPath")))
		}
		if m.SubPathExpr != "" {
			errs.Add(rules.Unless(m.SubPath == "", rules.Child(at, "subPathExpr"), m.SubPathExpr, "subPathExpr and subPath are mutually exclusive"))
			errs.Add(pathWithin(m.SubPathExpr, rules.Child(list, "subPathExpr")))
		}
		if p := m.MountPropagation; p != nil {
			errs.Add(rules.Choice(*p, rules.Child(list, "mountPropagation"), corev1.MountPropagationBidirectional, corev1.MountPropagationHostToContainer, corev1.MountPropagationNone))
			if *p == corev1.MountPropagationBidirectional && !privileged {
				errs.Forbidden(rules.Child(list, "mountPropagation"), "Bidirectional mount propagation is available only to privileged containers")
			}
		}
		errs.Add(readOnlyThrough(m, list))
		errs.Add(k.bindOptions(m, rules.Child(at, "bindMountOptions")))
	}
	return errs.List()
}

var bindMountOptions = []string{string(corev1.BindMountOptionNoDev), string(corev1.BindMountOptionNoExec), string(corev1.BindMountOptionNoSUID)}

// bindOptions checks the options for mounting a volume. An image must not have any.
func (k *podCheck) bindOptions(m corev1.VolumeMount, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, o := range m.BindMountOptions {
		errs.Add(rules.OneOf(&o, bindMountOptions, rules.Nth(at, i)))
		if slices.Contains(m.BindMountOptions[:i], o) {
			errs.Duplicate(rules.Nth(at, i), o)
		}
	}
	if v := k.volumes[m.Name]; len(m.BindMountOptions) > 0 && v != nil && v.Image != nil {
		errs.Invalid(at, m.BindMountOptions, "bindMountOptions may not be used with image volumes")
	}
	return errs.List()
}

func readOnlyThrough(m corev1.VolumeMount, list *field.Path) field.ErrorList {
	if m.RecursiveReadOnly == nil || *m.RecursiveReadOnly == corev1.RecursiveReadOnlyDisabled {
		return nil
	}
	at := rules.Child(list, "recursiveReadOnly")
	if errs := rules.Choice(*m.RecursiveReadOnly, at, corev1.RecursiveReadOnlyDisabled, corev1.RecursiveReadOnlyEnabled, corev1.RecursiveReadOnlyIfPossible); len(errs) > 0 {
		return errs
	}
	var errs rules.Errors
	if !m.ReadOnly {
		errs.Forbidden(at, "may only be specified when readOnly is true")
	}
	if m.MountPropagation != nil && *m.MountPropagation != corev1.MountPropagationNone {
		errs.Forbidden(at, "may only be specified when mountPropagation is None or not specified")
	}
	return errs.List()
}

func (k *podCheck) devices(c *corev1.Container, list *field.Path) field.ErrorList {
	var errs rules.Errors
	paths, names := map[string]bool{}, map[string]bool{}
	for i, d := range c.VolumeDevices {
		at := rules.Nth(list, i)
		errs.Add(rules.Required(d.Name, rules.Child(at, "name")))
		errs.Add(rules.Unless(!names[d.Name], rules.Child(at, "name"), d.Name, "must be unique"))
		switch v := k.volumes[d.Name]; {
		case v == nil:
			errs.Append(field.NotFound(rules.Child(at, "name"), d.Name))
		case v.PersistentVolumeClaim == nil && v.Ephemeral == nil:
			errs.Invalid(rules.Child(at, "name"), d.Name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode")
		}
		errs.Add(rules.Required(d.DevicePath, rules.Child(at, "devicePath")))
		errs.Add(rules.Unless(!paths[d.DevicePath], rules.Child(at, "devicePath"), d.DevicePath, "must be unique"))
		if len(noBacksteps(d.DevicePath, list)) > 0 {
			errs.Invalid(rules.Child(at, "devicePath"), d.DevicePath, "can not contain backsteps ('..')")
		} else {
			paths[d.DevicePath] = true
		}
		named := func(m corev1.VolumeMount) bool { return m.Name == d.Name }
		placed := func(m corev1.VolumeMount) bool { return m.MountPath == d.DevicePath }
		errs.Add(rules.Unless(!slices.ContainsFunc(c.VolumeMounts, named), rules.Child(at, "name"), d.Name, "must not already exist in volumeMounts"))
		errs.Add(rules.Unless(!slices.ContainsFunc(c.VolumeMounts, placed), rules.Child(at, "devicePath"), d.DevicePath, "must not already exist as a path in volumeMounts"))
		names[d.Name] = d.Name != ""
	}
	return errs.List()
}

// pathWithin requires a path that stays in its volume.
func pathWithin(p string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	if path.IsAbs(p) {
		errs.Invalid(at, p, "must be a relative path")
	}
	errs.Add(noBacksteps(p, at))
	return errs.List()
}

func noBacksteps(p string, at *field.Path) field.ErrorList {
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return field.ErrorList{field.Invalid(at, p, "must not contain '..'")}
		}
	}
	return nil
}
