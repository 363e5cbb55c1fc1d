// kubernetes/kubernetes:pkg/apis/core/v1/defaults.go

package pod

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/objects/image"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Default sets the defaults that pods have and templates do not (DF-01), after the defaults of the parts.
func Default(p *corev1.Pod) {
	defaultPodSpec(&p.Spec)
	for _, containers := range [][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		for i := range containers {
			requestLimits(&containers[i].Resources)
			if p.Spec.HostNetwork {
				useHostPorts(containers[i].Ports)
			}
		}
	}
	rules.SetDefault(&p.Spec.EnableServiceLinks, true)
	for _, statuses := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses, p.Status.EphemeralContainerStatuses} {
		for i := range statuses {
			rules.RoundUp(statuses[i].AllocatedResources)
			if r := statuses[i].Resources; r != nil {
				rules.RoundUp(r.Limits, r.Requests)
			}
		}
	}
}

// requestLimits sets missing requests to the limits of a container.
func requestLimits(r *corev1.ResourceRequirements) {
	if r.Limits == nil {
		return
	}
	if r.Requests == nil {
		r.Requests = corev1.ResourceList{}
	}
	AddMissing(r.Requests, r.Limits)
}

// DefaultResizePolicies says, in the releases that do so, that containers with requests are not restarted to resize them
// (DF-18).
func DefaultResizePolicies(containers []corev1.Container) {
	for i := range containers {
		c := &containers[i]
		given := slices.Clone(c.ResizePolicy)
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			known := slices.ContainsFunc(given, func(p corev1.ContainerResizePolicy) bool { return p.ResourceName == name })
			if rules.Has(c.Resources.Requests, name) && !known {
				c.ResizePolicy = append(c.ResizePolicy, corev1.ContainerResizePolicy{ResourceName: name, RestartPolicy: corev1.NotRequired})
			}
		}
	}
}

func useHostPorts(ports []corev1.ContainerPort) {
	for i := range ports {
		rules.SetZero(&ports[i].HostPort, ports[i].ContainerPort)
	}
}

func AddMissing(to, from corev1.ResourceList) {
	for name, q := range from {
		if _, ok := to[name]; !ok {
			to[name] = q.DeepCopy()
		}
	}
}

// defaultPodSpec sets the defaults of pods and templates (DF-02).
func defaultPodSpec(s *corev1.PodSpec) {
	rules.SetZero(&s.DNSPolicy, corev1.DNSClusterFirst)
	rules.SetZero(&s.RestartPolicy, corev1.RestartPolicyAlways)
	rules.SetDefault(&s.SecurityContext, corev1.PodSecurityContext{})
	rules.SetDefault(&s.TerminationGracePeriodSeconds, corev1.DefaultTerminationGracePeriodSeconds)
	rules.SetZero(&s.SchedulerName, corev1.DefaultSchedulerName)
	rules.RoundUp(s.Overhead)
	if s.Resources != nil {
		rules.RoundUp(s.Resources.Limits, s.Resources.Requests)
	}
	for i := range s.Volumes {
		defaultVolume(&s.Volumes[i])
	}
	for i := range s.InitContainers {
		DefaultContainer(&s.InitContainers[i])
	}
	for i := range s.Containers {
		DefaultContainer(&s.Containers[i])
	}
	for i := range s.EphemeralContainers {
		DefaultContainer((*corev1.Container)(&s.EphemeralContainers[i].EphemeralContainerCommon))
	}
}

// DefaultContainer sets the defaults of a container of any kind (DF-03, DF-04).
func DefaultContainer(c *corev1.Container) {
	if c.ImagePullPolicy == "" {
		c.ImagePullPolicy = image.PullPolicy(c.Image)
	}
	rules.SetZero(&c.TerminationMessagePath, corev1.TerminationMessagePathDefault)
	rules.SetZero(&c.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
	rules.RoundUp(c.Resources.Limits, c.Resources.Requests)
	for i := range c.Ports {
		rules.SetZero(&c.Ports[i].Protocol, corev1.ProtocolTCP)
	}
	for i := range c.Env {
		defaultEnvSource(c.Env[i].ValueFrom)
	}
	for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		defaultProbe(p)
	}
	if l := c.Lifecycle; l != nil {
		for _, h := range []*corev1.LifecycleHandler{l.PostStart, l.PreStop} {
			if h != nil {
				defaultHTTPGet(h.HTTPGet)
			}
		}
	}
}

func defaultEnvSource(s *corev1.EnvVarSource) {
	if s == nil {
		return
	}
	defaultFieldRef(s.FieldRef)
	if s.FileKeyRef != nil {
		rules.SetDefault(&s.FileKeyRef.Optional, false)
	}
}

func defaultFieldRef(f *corev1.ObjectFieldSelector) {
	if f != nil {
		rules.SetZero(&f.APIVersion, "v1")
	}
}

func defaultProbe(p *corev1.Probe) {
	if p == nil {
		return
	}
	rules.SetZero(&p.TimeoutSeconds, 1)
	rules.SetZero(&p.PeriodSeconds, 10)
	rules.SetZero(&p.SuccessThreshold, 1)
	rules.SetZero(&p.FailureThreshold, 3)
	defaultHTTPGet(p.HTTPGet)
	if p.GRPC != nil {
		rules.SetDefault(&p.GRPC.Service, "")
	}
}

func defaultHTTPGet(h *corev1.HTTPGetAction) {
	if h == nil {
		return
	}
	rules.SetZero(&h.Path, "/")
	rules.SetZero(&h.Scheme, corev1.URISchemeHTTP)
}

// DefaultProtocols sets the protocol of HTTP requests. It is not used for templates.
func DefaultProtocols(s *corev1.PodSpec) {
	for _, c := range Containers(s) {
		for _, h := range httpGets(c) {
			rules.SetDefault(&h.Protocol, corev1.HTTPProtocolHTTP1)
		}
	}
}

// httpGets returns the requests that the probes and hooks of a container send.
func httpGets(c *corev1.Container) []*corev1.HTTPGetAction {
	var gets []*corev1.HTTPGetAction
	add := func(h *corev1.HTTPGetAction) {
		if h != nil {
			gets = append(gets, h)
		}
	}
	for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		if p != nil {
			add(p.HTTPGet)
		}
	}
	if l := c.Lifecycle; l != nil {
		for _, h := range []*corev1.LifecycleHandler{l.PostStart, l.PreStop} {
			if h != nil {
				add(h.HTTPGet)
			}
		}
	}
	return gets
}

// normalisePodSpec makes the changes of the internal version to the spec of a pod (RT-02).
func normalisePodSpec(s *corev1.PodSpec) {
	rules.SetZero(&s.ServiceAccountName, s.DeprecatedServiceAccount)
	s.DeprecatedServiceAccount = s.ServiceAccountName
}

func Normalise(p *corev1.Pod, r *kubeversion.Release) {
	normalisePodSpec(&p.Spec)
	if !r.Has(kubeversion.InitContainerAnnotationsSeen) {
		rules.DropInitContainerAnnotations(p.Annotations)
	}
	if t := p.Spec.TerminationGracePeriodSeconds; t != nil && *t < 0 && r.Has(kubeversion.NegativeGraceMended) {
		*t = 1
	}
	switch s := &p.Status; {
	case s.PodIP != "" && (len(s.PodIPs) == 0 || s.PodIPs[0].IP != s.PodIP):
		s.PodIPs = []corev1.PodIP{{IP: s.PodIP}}
	case s.PodIP == "" && len(s.PodIPs) > 0:
		s.PodIP = s.PodIPs[0].IP
	}
}

// DefaultTemplate and NormaliseTemplate are for the pods of a workload.
func DefaultTemplate(t *corev1.PodTemplateSpec) { defaultPodSpec(&t.Spec) }

func NormaliseTemplate(t *corev1.PodTemplateSpec, r *kubeversion.Release) {
	normalisePodSpec(&t.Spec)
	if t.Spec.HostNetwork && (!r.Has(kubeversion.HostPortsInPodsOnly) || r.Enabled("DefaultHostNetworkHostPortsInPodTemplates")) {
		for _, list := range [][]corev1.Container{t.Spec.Containers, t.Spec.InitContainers} {
			for _, c := range list {
				useHostPorts(c.Ports)
			}
		}
	}
	if !r.Has(kubeversion.InitContainerAnnotationsSeen) {
		rules.DropInitContainerAnnotations(t.Annotations)
	}
}
