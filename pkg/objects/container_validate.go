package objects

import (
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A containerCheck checks containers of one pod:
// kubernetes/kubernetes:pkg/apis/core/validation/validation.go.
type containerCheck struct {
	volumes     map[string]bool // those that are there and right
	hostNetwork bool
	gracePeriod *int64
	names       map[string]bool // of the containers seen so far
	hostPorts   map[string]bool // taken so far
	ofPod       bool            // and not of a template
}

func newContainerCheck(s *corev1.PodSpec, volumes map[string]bool, ofPod bool) *containerCheck {
	return &containerCheck{
		volumes: volumes, hostNetwork: s.HostNetwork, gracePeriod: s.TerminationGracePeriodSeconds,
		names: map[string]bool{}, hostPorts: map[string]bool{}, ofPod: ofPod,
	}
}

func (k *containerCheck) containers(all []corev1.Container, at *field.Path) field.ErrorList {
	if len(all) == 0 {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs field.ErrorList
	k.hostPorts = map[string]bool{}
	for i := range all {
		errs = append(errs, k.container(&all[i], at.Index(i))...)
		errs = append(errs, k.lifecycle(all[i].Lifecycle, at.Index(i).Child("lifecycle"))...)
		errs = append(errs, k.probes(&all[i], at.Index(i))...)
	}
	return errs
}

// initContainers run before the others; those that are restarted may have what those have.
func (k *containerCheck) initContainers(all []corev1.Container, at *field.Path) field.ErrorList {
	const sidecarsOnly = "may not be set for init containers without restartPolicy=Always"
	var errs field.ErrorList
	for i := range all {
		c, at := &all[i], at.Index(i)
		k.hostPorts = map[string]bool{} // they run one after the other
		errs = append(errs, k.container(c, at)...)
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			errs = append(errs, k.lifecycle(c.Lifecycle, at.Child("lifecycle"))...)
			errs = append(errs, k.probes(c, at)...)
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
				errs = append(errs, field.Forbidden(at.Child(f.name), sidecarsOnly))
			}
		}
	}
	return errs
}

// ephemeralContainers are there to look into a running pod, and may not ask for resources.
func (k *containerCheck) ephemeralContainers(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range s.EphemeralContainers {
		e, at := &s.EphemeralContainers[i], at.Index(i)
		c := (*corev1.Container)(&e.EphemeralContainerCommon)
		errs = append(errs, k.container(c, at)...)
		if e.TargetContainerName != "" && !hasContainer(s, e.TargetContainerName) {
			errs = append(errs, field.NotFound(at.Child("targetContainerName"), e.TargetContainerName))
		}
		for _, f := range []struct {
			name string
			set  bool
		}{
			{"ports", len(c.Ports) > 0}, {"livenessProbe", c.LivenessProbe != nil}, {"readinessProbe", c.ReadinessProbe != nil},
			{"startupProbe", c.StartupProbe != nil}, {"lifecycle", c.Lifecycle != nil},
			{"resources", len(c.Resources.Limits)+len(c.Resources.Requests) > 0}, {"resizePolicy", len(c.ResizePolicy) > 0},
		} {
			if f.set {
				errs = append(errs, field.Forbidden(at.Child(f.name), "cannot be set for an Ephemeral Container"))
			}
		}
		for j, m := range c.VolumeMounts {
			if m.SubPath != "" {
				errs = append(errs, field.Forbidden(at.Child("volumeMounts").Index(j).Child("subPath"), "cannot be set for an Ephemeral Container"))
			}
			if m.SubPathExpr != "" {
				errs = append(errs, field.Forbidden(at.Child("volumeMounts").Index(j).Child("subPathExpr"), "cannot be set for an Ephemeral Container"))
			}
		}
	}
	return errs
}

func hasContainer(s *corev1.PodSpec, name string) bool {
	named := func(c corev1.Container) bool { return c.Name == name }
	return slices.ContainsFunc(s.Containers, named) || slices.ContainsFunc(s.InitContainers, named)
}

// container checks what all sorts of containers have.
func (k *containerCheck) container(c *corev1.Container, at *field.Path) field.ErrorList {
	errs := given(at.Child("name"), c.Name, utilvalidation.IsDNS1123Label)
	if c.Name != "" && k.names[c.Name] {
		errs = append(errs, field.Duplicate(at.Child("name"), c.Name))
	}
	k.names[c.Name] = true
	switch {
	case c.Image == "":
		errs = append(errs, field.Required(at.Child("image"), ""))
	case k.ofPod && c.Image != strings.TrimSpace(c.Image):
		errs = append(errs, field.Invalid(at.Child("image"), c.Image, "must not have leading or trailing whitespace"))
	}
	errs = append(errs, choice(c.TerminationMessagePolicy, at.Child("terminationMessagePolicy"), "", corev1.TerminationMessageFallbackToLogsOnError, corev1.TerminationMessageReadFile)...)
	errs = append(errs, choice(c.ImagePullPolicy, at.Child("imagePullPolicy"), "", corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)...)
	errs = append(errs, k.ports(c.Ports, at.Child("ports"))...)
	errs = append(errs, validateEnv(c.Env, at.Child("env"))...)
	errs = append(errs, validateEnvFrom(c.EnvFrom, at.Child("envFrom"))...)
	errs = append(errs, k.mounts(c.VolumeMounts, at.Child("volumeMounts"))...)
	errs = append(errs, k.devices(c.VolumeDevices, at.Child("volumeDevices"))...)
	errs = append(errs, validateResources(c.Resources, at.Child("resources"))...)
	return append(errs, validateContainerSecurity(c.SecurityContext, at.Child("securityContext"))...)
}

func (k *containerCheck) ports(ports []corev1.ContainerPort, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, p := range ports {
		at := at.Index(i)
		if p.Name != "" {
			if wrong := utilvalidation.IsValidPortName(p.Name); len(wrong) > 0 {
				errs = append(errs, faults(at.Child("name"), p.Name, wrong)...)
			} else if names[p.Name] {
				errs = append(errs, field.Duplicate(at.Child("name"), p.Name))
			}
			names[p.Name] = true
		}
		if p.ContainerPort == 0 {
			errs = append(errs, field.Required(at.Child("containerPort"), ""))
		} else {
			errs = append(errs, portNumber(p.ContainerPort, at.Child("containerPort"))...)
		}
		if p.HostPort != 0 {
			errs = append(errs, portNumber(p.HostPort, at.Child("hostPort"))...)
			errs = append(errs, k.hostPort(p, at.Child("hostPort"))...)
		}
		errs = append(errs, choice(p.Protocol, at.Child("protocol"), "", corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
		if p.HostIP != "" {
			errs = append(errs, utilvalidation.IsValidIPForLegacyField(at.Child("hostIP"), p.HostIP, false, nil)...)
		}
	}
	return errs
}

func (k *containerCheck) hostPort(p corev1.ContainerPort, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	taken := fmt.Sprintf("%s/%s/%d", p.Protocol, p.HostIP, p.HostPort)
	if k.hostPorts[taken] {
		errs = append(errs, field.Duplicate(at, taken))
	}
	k.hostPorts[taken] = true
	if k.hostNetwork && p.HostPort != p.ContainerPort {
		errs = append(errs, field.Invalid(at, p.HostPort, "must match `containerPort` when `hostNetwork` is true"))
	}
	return errs
}

func (k *containerCheck) mounts(mounts []corev1.VolumeMount, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	paths := map[string]bool{}
	for i, m := range mounts {
		at := at.Index(i)
		if m.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		}
		if !k.volumes[m.Name] {
			errs = append(errs, field.NotFound(at.Child("name"), m.Name))
		}
		if m.MountPath == "" {
			errs = append(errs, field.Required(at.Child("mountPath"), ""))
		}
		if paths[m.MountPath] {
			errs = append(errs, field.Invalid(at.Child("mountPath"), m.MountPath, "must be unique"))
		}
		paths[m.MountPath] = true
		if m.SubPath != "" {
			errs = append(errs, pathWithin(m.SubPath, at.Child("subPath"))...)
		}
		if m.SubPathExpr != "" {
			if m.SubPath != "" {
				errs = append(errs, field.Invalid(at.Child("subPathExpr"), m.SubPathExpr, "subPathExpr and subPath are mutually exclusive"))
			}
			errs = append(errs, pathWithin(m.SubPathExpr, at.Child("subPathExpr"))...)
		}
		if m.MountPropagation != nil {
			errs = append(errs, choice(*m.MountPropagation, at.Child("mountPropagation"), "", corev1.MountPropagationBidirectional, corev1.MountPropagationHostToContainer, corev1.MountPropagationNone)...)
		}
	}
	return errs
}

func (k *containerCheck) devices(devices []corev1.VolumeDevice, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	paths := map[string]bool{}
	for i, d := range devices {
		at := at.Index(i)
		if d.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		}
		if !k.volumes[d.Name] {
			errs = append(errs, field.NotFound(at.Child("name"), d.Name))
		}
		if d.DevicePath == "" {
			errs = append(errs, field.Required(at.Child("devicePath"), ""))
		}
		if paths[d.DevicePath] {
			errs = append(errs, field.Invalid(at.Child("devicePath"), d.DevicePath, "must be unique"))
		}
		paths[d.DevicePath] = true
	}
	return errs
}

func (k *containerCheck) probes(c *corev1.Container, at *field.Path) field.ErrorList {
	errs := validateProbe(c.LivenessProbe, at.Child("livenessProbe"))
	errs = append(errs, succeedsOnce(c.LivenessProbe, at.Child("livenessProbe"))...)
	errs = append(errs, validateProbe(c.ReadinessProbe, at.Child("readinessProbe"))...)
	if p := c.ReadinessProbe; p != nil && p.TerminationGracePeriodSeconds != nil {
		errs = append(errs, field.Invalid(at.Child("readinessProbe", "terminationGracePeriodSeconds"), *p.TerminationGracePeriodSeconds, "must not be set for readinessProbes"))
	}
	errs = append(errs, validateProbe(c.StartupProbe, at.Child("startupProbe"))...)
	return append(errs, succeedsOnce(c.StartupProbe, at.Child("startupProbe"))...)
}

func succeedsOnce(p *corev1.Probe, at *field.Path) field.ErrorList {
	if p == nil || p.SuccessThreshold == 1 {
		return nil
	}
	return field.ErrorList{field.Invalid(at.Child("successThreshold"), p.SuccessThreshold, "must be 1")}
}

func validateProbe(p *corev1.Probe, at *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	errs := handler{exec: p.Exec, http: p.HTTPGet, tcp: p.TCPSocket, grpc: p.GRPC}.validate(at)
	errs = append(errs, notNegative(p.InitialDelaySeconds, at.Child("initialDelaySeconds"))...)
	errs = append(errs, notNegative(p.TimeoutSeconds, at.Child("timeoutSeconds"))...)
	errs = append(errs, notNegative(p.PeriodSeconds, at.Child("periodSeconds"))...)
	errs = append(errs, notNegative(p.SuccessThreshold, at.Child("successThreshold"))...)
	errs = append(errs, notNegative(p.FailureThreshold, at.Child("failureThreshold"))...)
	if s := p.TerminationGracePeriodSeconds; s != nil && *s <= 0 {
		errs = append(errs, field.Invalid(at.Child("terminationGracePeriodSeconds"), *s, "must be greater than 0"))
	}
	return errs
}

func (k *containerCheck) lifecycle(l *corev1.Lifecycle, at *field.Path) field.ErrorList {
	if l == nil {
		return nil
	}
	var errs field.ErrorList
	check := func(h *corev1.LifecycleHandler, at *field.Path) {
		if h != nil {
			errs = append(errs, handler{exec: h.Exec, http: h.HTTPGet, tcp: h.TCPSocket, sleep: h.Sleep, gracePeriod: k.gracePeriod}.validate(at)...)
		}
	}
	check(l.PostStart, at.Child("postStart"))
	check(l.PreStop, at.Child("preStop"))
	return errs
}

// A handler is what probes and lifecycles have: one way to reach a container.
type handler struct {
	exec        *corev1.ExecAction
	http        *corev1.HTTPGetAction
	tcp         *corev1.TCPSocketAction
	grpc        *corev1.GRPCAction
	sleep       *corev1.SleepAction
	gracePeriod *int64
}

func (h handler) validate(at *field.Path) field.ErrorList {
	var errs field.ErrorList
	n := 0
	one := func(name string, set bool, check func(at *field.Path) field.ErrorList) {
		switch {
		case !set:
		case n > 0:
			errs = append(errs, field.Forbidden(at.Child(name), "may not specify more than 1 handler type"))
		default:
			n++
			errs = append(errs, check(at.Child(name))...)
		}
	}
	one("exec", h.exec != nil, func(at *field.Path) field.ErrorList {
		if len(h.exec.Command) == 0 {
			return field.ErrorList{field.Required(at.Child("command"), "")}
		}
		return nil
	})
	one("httpGet", h.http != nil, func(at *field.Path) field.ErrorList { return validateHTTPGet(h.http, at) })
	one("tcpSocket", h.tcp != nil, func(at *field.Path) field.ErrorList { return portOrName(h.tcp.Port, at.Child("port")) })
	one("grpc", h.grpc != nil, func(at *field.Path) field.ErrorList { return portNumber(h.grpc.Port, at.Child("port")) })
	one("sleep", h.sleep != nil, func(at *field.Path) field.ErrorList {
		if h.gracePeriod != nil && (h.sleep.Seconds < 0 || h.sleep.Seconds > *h.gracePeriod) {
			return field.ErrorList{field.Invalid(at, h.sleep.Seconds, fmt.Sprintf("must be non-negative and less than terminationGracePeriodSeconds (%d)", *h.gracePeriod))}
		}
		return nil
	})
	if n == 0 {
		errs = append(errs, field.Required(at, "must specify a handler type"))
	}
	return errs
}

func validateHTTPGet(h *corev1.HTTPGetAction, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if h.Path == "" {
		errs = append(errs, field.Required(at.Child("path"), ""))
	}
	errs = append(errs, portOrName(h.Port, at.Child("port"))...)
	errs = append(errs, choice(h.Scheme, at.Child("scheme"), corev1.URISchemeHTTP, corev1.URISchemeHTTPS)...)
	for i, header := range h.HTTPHeaders {
		errs = append(errs, faults(at.Child("httpHeaders").Index(i).Child("name"), header.Name, utilvalidation.IsHTTPHeaderName(header.Name))...)
	}
	return errs
}

func portOrName(p intstr.IntOrString, at *field.Path) field.ErrorList {
	if p.Type == intstr.Int {
		return portNumber(p.IntVal, at)
	}
	return faults(at, p.StrVal, utilvalidation.IsValidPortName(p.StrVal))
}

func portNumber(n int32, at *field.Path) field.ErrorList {
	return faults(at, n, utilvalidation.IsValidPortNum(int(n)))
}

// pathWithin asks for a path that stays in its volume.
func pathWithin(p string, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if path.IsAbs(p) {
		errs = append(errs, field.Invalid(at, p, "must be a relative path"))
	}
	return append(errs, noBacksteps(p, at)...)
}

func noBacksteps(p string, at *field.Path) field.ErrorList {
	if slices.Contains(strings.Split(p, "/"), "..") {
		return field.ErrorList{field.Invalid(at, p, "must not contain '..'")}
	}
	return nil
}
