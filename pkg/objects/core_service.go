package objects

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var service = rules[*corev1.Service]{
	status:           func(s *corev1.Service) any { return &s.Status },
	defaults:         defaultService,
	prepareForCreate: prepareService,
	prepareForUpdate: prepareServiceUpdate,
	validate:         validateService,
	validateUpdate:   validateServiceUpdate,
	onUpdate:         checkChange,
	warnings:         serviceWarnings,
	behaviour:        Behaviour{CreateOnUpdate: true},
}

// serviceName is the rule for names of services: since 1.36 they may start with a digit.
func serviceName(r request) validation.ValidateNameFunc {
	if r.Release.AtLeast(36) {
		return dnsLabel
	}
	return dns1035Label
}

func defaultService(s *corev1.Service) {
	setZero(&s.Spec.SessionAffinity, corev1.ServiceAffinityNone)
	switch s.Spec.SessionAffinity {
	case corev1.ServiceAffinityNone:
		s.Spec.SessionAffinityConfig = nil
	case corev1.ServiceAffinityClientIP:
		if c := s.Spec.SessionAffinityConfig; c == nil || c.ClientIP == nil || c.ClientIP.TimeoutSeconds == nil {
			timeout := corev1.DefaultClientIPServiceAffinitySeconds
			s.Spec.SessionAffinityConfig = &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: &timeout}}
		}
	}
	setZero(&s.Spec.Type, corev1.ServiceTypeClusterIP)
	for i := range s.Spec.Ports {
		p := &s.Spec.Ports[i]
		setZero(&p.Protocol, corev1.ProtocolTCP)
		if p.TargetPort == intstr.FromInt32(0) || p.TargetPort == intstr.FromString("") {
			p.TargetPort = intstr.FromInt32(p.Port)
		}
	}
	if isExternal(s) {
		setZero(&s.Spec.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster)
	}
	switch s.Spec.Type {
	case corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort, corev1.ServiceTypeLoadBalancer:
		setDefault(&s.Spec.InternalTrafficPolicy, corev1.ServiceInternalTrafficPolicyCluster)
	}
	if s.Spec.Type == corev1.ServiceTypeLoadBalancer {
		setDefault(&s.Spec.AllocateLoadBalancerNodePorts, true)
		for i := range s.Status.LoadBalancer.Ingress {
			if in := &s.Status.LoadBalancer.Ingress[i]; in.IP != "" {
				setDefault(&in.IPMode, corev1.LoadBalancerIPModeVIP)
			}
		}
	}
}

// isExternal tells whether a service is reached from outside of the cluster.
func isExternal(s *corev1.Service) bool {
	switch s.Spec.Type {
	case corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort:
		return true
	}
	return s.Spec.Type == corev1.ServiceTypeClusterIP && len(s.Spec.ExternalIPs) > 0
}

// hasNodePorts tells whether the ports of a service get node ports.
func hasNodePorts(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeNodePort ||
		s.Spec.Type == corev1.ServiceTypeLoadBalancer && (s.Spec.AllocateLoadBalancerNodePorts == nil || *s.Spec.AllocateLoadBalancerNodePorts)
}

// hasHealthCheckPort tells whether a service needs a port where nodes are asked for its health.
func hasHealthCheckPort(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeLoadBalancer && s.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal
}

// prepareService brings the single and list forms of addresses in line, and fills in those
// that are to be allocated (2.1.1 step 12).
func prepareService(s *corev1.Service, r request) {
	spec := &s.Spec
	if spec.ClusterIP != "" && len(spec.ClusterIPs) == 0 {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	if spec.Type != corev1.ServiceTypeExternalName {
		if spec.ClusterIP == "" && len(spec.ClusterIPs) == 0 && r.ClusterIP != nil {
			spec.ClusterIP = r.ClusterIP()
			spec.ClusterIPs = []string{spec.ClusterIP}
		}
		setFamilies(spec)
	}
	allocatePorts(s, r)
}

// setFamilies sets the families of a service's addresses. The cluster has IPv4 only, but a
// headless service without selector is for whatever there will be.
func setFamilies(spec *corev1.ServiceSpec) {
	if spec.ClusterIP == corev1.ClusterIPNone && len(spec.Selector) == 0 && spec.IPFamilyPolicy == nil {
		setDefault(&spec.IPFamilyPolicy, corev1.IPFamilyPolicyRequireDualStack)
		switch len(spec.IPFamilies) {
		case 0:
			spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol, corev1.IPv6Protocol}
		case 1:
			other := corev1.IPv6Protocol
			if spec.IPFamilies[0] == corev1.IPv6Protocol {
				other = corev1.IPv4Protocol
			}
			spec.IPFamilies = append(spec.IPFamilies, other)
		}
	}
	setDefault(&spec.IPFamilyPolicy, corev1.IPFamilyPolicySingleStack)
	if len(spec.IPFamilies) > 0 {
		return
	}
	for _, ip := range spec.ClusterIPs {
		if a, err := netip.ParseAddr(ip); err == nil && a.Is6() {
			spec.IPFamilies = append(spec.IPFamilies, corev1.IPv6Protocol)
		} else if err == nil || ip == corev1.ClusterIPNone {
			spec.IPFamilies = append(spec.IPFamilies, corev1.IPv4Protocol)
		}
	}
}

func allocatePorts(s *corev1.Service, r request) {
	if r.NodePort == nil {
		return
	}
	if hasNodePorts(s) {
		for i := range s.Spec.Ports {
			if s.Spec.Ports[i].NodePort == 0 {
				s.Spec.Ports[i].NodePort = r.NodePort()
			}
		}
	}
	if hasHealthCheckPort(s) && s.Spec.HealthCheckNodePort == 0 {
		s.Spec.HealthCheckNodePort = r.NodePort()
	}
}

// prepareServiceUpdate keeps what was allocated where the update leaves it out, and drops
// what the new type of the service has no use for.
func prepareServiceUpdate(s, old *corev1.Service, r request) {
	if r.Subresource != "" {
		return
	}
	spec, was := &s.Spec, &old.Spec
	keepAllocated(s, old)
	if spec.Type == corev1.ServiceTypeExternalName {
		if was.Type != corev1.ServiceTypeExternalName {
			dropAddresses(spec, was)
		}
	} else if spec.ClusterIP == "" && len(spec.ClusterIPs) == 0 && r.ClusterIP != nil {
		spec.ClusterIP = r.ClusterIP()
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	if spec.Type != corev1.ServiceTypeExternalName {
		setFamilies(spec)
	}
	if hadNodePorts(old) && !hasNodePorts(s) && spec.Type != corev1.ServiceTypeLoadBalancer {
		for i := range spec.Ports {
			for _, p := range was.Ports {
				if p.NodePort == spec.Ports[i].NodePort {
					spec.Ports[i].NodePort = 0
					break
				}
			}
		}
	}
	if hasHealthCheckPort(old) && !hasHealthCheckPort(s) && spec.HealthCheckNodePort == was.HealthCheckNodePort {
		spec.HealthCheckNodePort = 0
	}
	if was.Type == corev1.ServiceTypeLoadBalancer && spec.Type != corev1.ServiceTypeLoadBalancer {
		if equalBools(spec.AllocateLoadBalancerNodePorts, was.AllocateLoadBalancerNodePorts) {
			spec.AllocateLoadBalancerNodePorts = nil
		}
		if spec.LoadBalancerClass != nil && was.LoadBalancerClass != nil && *spec.LoadBalancerClass == *was.LoadBalancerClass {
			spec.LoadBalancerClass = nil
		}
	}
	if isExternal(old) && !isExternal(s) && spec.ExternalTrafficPolicy == was.ExternalTrafficPolicy {
		spec.ExternalTrafficPolicy = ""
	}
	allocatePorts(s, r)
}

func hadNodePorts(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeNodePort || s.Spec.Type == corev1.ServiceTypeLoadBalancer
}

func equalBools(a, b *bool) bool { return a == b || a != nil && b != nil && *a == *b }

// keepAllocated takes over the addresses and ports of old that s does not name.
func keepAllocated(s, old *corev1.Service) {
	spec, was := &s.Spec, &old.Spec
	needsIP := func(t corev1.ServiceType) bool { return t != corev1.ServiceTypeExternalName && t != "" }
	if needsIP(was.Type) && needsIP(spec.Type) {
		setZero(&spec.ClusterIP, was.ClusterIP)
		if len(spec.ClusterIPs) == 0 {
			spec.ClusterIPs = slices.Clone(was.ClusterIPs)
		}
		if spec.ClusterIP != was.ClusterIP && slices.Equal(spec.ClusterIPs, was.ClusterIPs) {
			spec.ClusterIPs = []string{spec.ClusterIP}
		}
		if spec.IPFamilyPolicy == nil && was.IPFamilyPolicy != nil {
			policy := *was.IPFamilyPolicy
			spec.IPFamilyPolicy = &policy
		}
		if len(spec.IPFamilies) == 0 {
			spec.IPFamilies = append([]corev1.IPFamily(nil), was.IPFamilies...)
		}
	}
	if hadNodePorts(old) && hadNodePorts(s) {
		keepNodePorts(spec.Ports, was.Ports)
	}
	if hasHealthCheckPort(old) && hasHealthCheckPort(s) && spec.HealthCheckNodePort == 0 {
		spec.HealthCheckNodePort = was.HealthCheckNodePort
	}
}

func keepNodePorts(ports, was []corev1.ServicePort) {
	type key struct {
		port     int32
		protocol corev1.Protocol
	}
	used, old := map[int32]bool{}, map[key]int32{}
	for _, p := range ports {
		used[p.NodePort] = true
	}
	for _, p := range was {
		old[key{p.Port, p.Protocol}] = p.NodePort
	}
	for i := range ports {
		p := &ports[i]
		if p.NodePort == 0 && !used[old[key{p.Port, p.Protocol}]] {
			p.NodePort = old[key{p.Port, p.Protocol}]
			used[p.NodePort] = true
		}
	}
}

func equalStrings(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func dropAddresses(spec, was *corev1.ServiceSpec) {
	if spec.ClusterIP == was.ClusterIP && equalStrings(spec.ClusterIPs, was.ClusterIPs) {
		spec.ClusterIP, spec.ClusterIPs = "", nil
	}
	spec.IPFamilies, spec.IPFamilyPolicy = nil, nil
	if spec.InternalTrafficPolicy != nil && was.InternalTrafficPolicy != nil && *spec.InternalTrafficPolicy == *was.InternalTrafficPolicy {
		spec.InternalTrafficPolicy = nil
	}
}
