// kubernetes/kubernetes:pkg/registry/core/service/strategy.go
// kubernetes/kubernetes:pkg/apis/core/v1/defaults.go

package core

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var service = rules.Of[*corev1.Service]{
	Status:           func(s *corev1.Service) any { return &s.Status },
	Allocate:         allocate,
	Shown:            withoutNeedlessPolicy,
	Read:             withAddresses,
	DefaultsIn:       defaultService,
	PrepareForCreate: prepareService,
	Export:           exportService,
	PrepareForUpdate: prepareServiceUpdate,
	Validate:         validateService,
	ValidateUpdate:   validateServiceUpdate,
	OnUpdate:         rules.CheckChange,
	Warnings:         serviceWarnings,
	WarnsSince:       kubeversion.MoreKindWarnings,
	Behaviour:        rules.Behaviour{CreateOnUpdate: true},
}

func exportService(s *corev1.Service, exact bool, _ func()) field.ErrorList {
	s.Status = corev1.ServiceStatus{}
	if exact {
		return nil
	}
	if s.Spec.ClusterIP != corev1.ClusterIPNone {
		s.Spec.ClusterIP, s.Spec.ClusterIPs = "", nil
	}
	if s.Spec.Type == corev1.ServiceTypeNodePort {
		for i := range s.Spec.Ports {
			s.Spec.Ports[i].NodePort = 0
		}
	}
	return nil
}

func defaultService(s *corev1.Service, o rules.Options) {
	rules.SetZero(&s.Spec.SessionAffinity, corev1.ServiceAffinityNone)
	switch s.Spec.SessionAffinity {
	case corev1.ServiceAffinityNone:
		s.Spec.SessionAffinityConfig = nil
	case corev1.ServiceAffinityClientIP:
		if c := s.Spec.SessionAffinityConfig; c == nil || c.ClientIP == nil || c.ClientIP.TimeoutSeconds == nil {
			timeout := corev1.DefaultClientIPServiceAffinitySeconds
			s.Spec.SessionAffinityConfig = &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: &timeout}}
		}
	}
	rules.SetZero(&s.Spec.Type, corev1.ServiceTypeClusterIP)
	for i := range s.Spec.Ports {
		p := &s.Spec.Ports[i]
		rules.SetZero(&p.Protocol, corev1.ProtocolTCP)
		if p.TargetPort == intstr.FromInt32(0) || p.TargetPort == intstr.FromString("") {
			p.TargetPort = intstr.FromInt32(p.Port)
		}
	}
	if isExternal(s, o.Release) {
		rules.SetZero(&s.Spec.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster)
	}
	defaultFamilies(&s.Spec, o.Release)
	defaultFamily(s, o.Release)
	needed := slices.Contains([]corev1.ServiceType{corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort, corev1.ServiceTypeLoadBalancer}, s.Spec.Type)
	if needed || !o.Release.Has(kubeversion.InternalPoliciesNeeded) {
		rules.SetDefault(&s.Spec.InternalTrafficPolicy, corev1.ServiceInternalTrafficPolicyCluster)
	}
	if s.Spec.Type == corev1.ServiceTypeLoadBalancer {
		rules.SetDefault(&s.Spec.AllocateLoadBalancerNodePorts, true)
		for i := range s.Status.LoadBalancer.Ingress {
			if in := &s.Status.LoadBalancer.Ingress[i]; in.IP != "" {
				rules.SetDefault(&in.IPMode, corev1.LoadBalancerIPModeVIP)
			}
		}
	}
}

// withoutNeedlessPolicy drops a policy that an ExternalName does not need, but may have from the past (PL-08a):
// kubernetes/kubernetes:pkg/registry/core/service/storage/storage.go, defaultOnReadInternalTrafficPolicy.
func withoutNeedlessPolicy(s *corev1.Service, r *kubeversion.Release) *corev1.Service {
	if !r.Has(kubeversion.InternalPoliciesNeeded) || s.Spec.Type != corev1.ServiceTypeExternalName || s.Spec.InternalTrafficPolicy == nil {
		return s
	}
	shown := *s
	shown.Spec.InternalTrafficPolicy = nil
	return &shown
}

// withAddresses gives a service that was stored with one address the lists of addresses and families (PL-08e), in a cluster
// with one family: kubernetes/kubernetes:pkg/registry/core/service/storage/storage.go, defaultOnReadService.
func withAddresses(s *corev1.Service, r *kubeversion.Release) *corev1.Service {
	lacks := s.Spec.ClusterIP != "" && len(s.Spec.ClusterIPs) == 0 && r.Has(kubeversion.ServiceFamilies)
	familyless := len(s.Spec.IPFamilies) == 0 && (lacks || len(s.Spec.ClusterIPs) > 0) && r.Has(kubeversion.DualStack)
	if !lacks && !familyless {
		return s
	}
	read := *s
	spec := &read.Spec
	if lacks {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	if !familyless {
		return &read
	}
	policy := corev1.IPFamilyPolicySingleStack
	switch {
	case spec.ClusterIPs[0] == corev1.ClusterIPNone && len(spec.Selector) == 0: // nobody knows its endpoints
		spec.IPFamilies, policy = []corev1.IPFamily{corev1.IPv4Protocol, corev1.IPv6Protocol}, corev1.IPFamilyPolicyPreferDualStack
	case spec.ClusterIPs[0] == corev1.ClusterIPNone:
		spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol}
	default:
		for _, ip := range spec.ClusterIPs {
			spec.IPFamilies = append(spec.IPFamilies, addressFamily(ip))
		}
		if len(spec.IPFamilies) == 2 {
			policy = corev1.IPFamilyPolicyRequireDualStack
		}
	}
	spec.IPFamilyPolicy = &policy
	return &read
}

// isExternal reports whether a service can be reached from outside the cluster. Up to 1.28 the server does not consider
// external addresses.
func isExternal(s *corev1.Service, r *kubeversion.Release) bool {
	switch s.Spec.Type {
	case corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort:
		return true
	}
	return s.Spec.Type == corev1.ServiceTypeClusterIP && len(s.Spec.ExternalIPs) > 0 && r.Has(kubeversion.ExternalIPsHavePolicies)
}

// hasNodePorts reports whether the ports of a service get node ports.
func hasNodePorts(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeNodePort ||
		s.Spec.Type == corev1.ServiceTypeLoadBalancer && (s.Spec.AllocateLoadBalancerNodePorts == nil || *s.Spec.AllocateLoadBalancerNodePorts)
}

// hasHealthCheckPort reports whether a service needs a port for health checks of nodes.
func hasHealthCheckPort(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeLoadBalancer && s.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal
}

// prepareService synchronizes the single and list forms of addresses where nothing was allocated before: in manifests.
func prepareService(s *corev1.Service, r rules.Request) {
	if r.Subresource != "" {
		return
	}
	if !r.Release.Has(kubeversion.ServiceFamilies) {
		return
	}
	if s.Spec.ClusterIP != "" && len(s.Spec.ClusterIPs) == 0 {
		s.Spec.ClusterIPs = []string{s.Spec.ClusterIP}
	}
	if r.Release.Has(kubeversion.DualStack) {
		readFamilies(&s.Spec)
	}
	dropFamilies(s, nil, r)
}

// prepareServiceUpdate drops fields that the new type of the service does not use, unless the update changes them:
// kubernetes/kubernetes:pkg/registry/core/service/strategy.go.
func prepareServiceUpdate(s, old *corev1.Service, r rules.Request) {
	if r.Subresource != "" {
		return
	}
	dropFamilies(s, old, r)
	spec, before := &s.Spec, &old.Spec
	if spec.Type == corev1.ServiceTypeExternalName && before.Type != corev1.ServiceTypeExternalName {
		dropAddresses(spec, before)
	}
	if hadNodePorts(old) && !hadNodePorts(s) && !slices.ContainsFunc(spec.Ports, func(p corev1.ServicePort) bool { return p.NodePort != 0 && !hasNodePort(before.Ports, p.NodePort) }) {
		for i := range spec.Ports {
			spec.Ports[i].NodePort = 0
		}
	}
	if hasHealthCheckPort(old) && !hasHealthCheckPort(s) && spec.HealthCheckNodePort == before.HealthCheckNodePort {
		spec.HealthCheckNodePort = 0
	}
	if before.Type == corev1.ServiceTypeLoadBalancer && spec.Type != corev1.ServiceTypeLoadBalancer {
		if equalBools(spec.AllocateLoadBalancerNodePorts, before.AllocateLoadBalancerNodePorts) {
			spec.AllocateLoadBalancerNodePorts = nil
		}
		if spec.LoadBalancerClass != nil && before.LoadBalancerClass != nil && *spec.LoadBalancerClass == *before.LoadBalancerClass {
			spec.LoadBalancerClass = nil
		}
	}
	if isExternal(old, r.Release) && !isExternal(s, r.Release) && spec.ExternalTrafficPolicy == before.ExternalTrafficPolicy {
		spec.ExternalTrafficPolicy = ""
	}
	if r.Release.Has(kubeversion.DualStack) && !r.Release.Has(kubeversion.ServicesAllocatedFirst) {
		releaseSecond(spec, before)
	}
}

func hasNodePort(ports []corev1.ServicePort, nodePort int32) bool {
	return slices.ContainsFunc(ports, func(p corev1.ServicePort) bool { return p.NodePort == nodePort })
}

func hadNodePorts(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeNodePort || s.Spec.Type == corev1.ServiceTypeLoadBalancer
}

func equalBools(a, b *bool) bool { return a == b || a != nil && b != nil && *a == *b }

// keepAllocated copies the addresses and ports of old that s does not specify, so that an update need not know them.
func keepAllocated(s, old *corev1.Service) {
	spec, before := &s.Spec, &old.Spec
	if before.Type != corev1.ServiceTypeExternalName && spec.Type != corev1.ServiceTypeExternalName {
		rules.SetZero(&spec.ClusterIP, before.ClusterIP)
		if len(spec.ClusterIPs) == 0 {
			spec.ClusterIPs = slices.Clone(before.ClusterIPs)
		}
	}
	if hasNodePorts(old) && hasNodePorts(s) {
		keepNodePorts(spec.Ports, before.Ports)
	}
	if hasHealthCheckPort(old) && hasHealthCheckPort(s) && spec.HealthCheckNodePort == 0 {
		spec.HealthCheckNodePort = before.HealthCheckNodePort
	}
}

// keepNodePorts gives ports the node ports of the old ports with their names, unless another port has them.
func keepNodePorts(ports, before []corev1.ServicePort) {
	named := map[string]int32{}
	for _, p := range before {
		named[p.Name] = p.NodePort
	}
	given := slices.Clone(ports)
	for i := range ports {
		if p := &ports[i]; p.NodePort == 0 && (named[p.Name] == 0 || !hasNodePort(given, named[p.Name])) {
			p.NodePort = named[p.Name]
		}
	}
}

func dropAddresses(spec, before *corev1.ServiceSpec) {
	if spec.ClusterIP == before.ClusterIP && slices.Equal(spec.ClusterIPs, before.ClusterIPs) {
		spec.ClusterIP, spec.ClusterIPs = "", nil
	}
	if slices.Equal(spec.IPFamilies, before.IPFamilies) {
		spec.IPFamilies = nil
	}
	if p := spec.IPFamilyPolicy; p != nil && before.IPFamilyPolicy != nil && *p == *before.IPFamilyPolicy {
		spec.IPFamilyPolicy = nil
	}
}
