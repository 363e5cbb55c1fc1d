// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package core

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The values that fields of services may have, in the order of messages.
var (
	serviceTypes         = []string{"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}
	sessionAffinities    = []string{"ClientIP", "None"}
	trafficPolicies      = []string{"Cluster", "Local"}
	familyPolicies       = []string{"PreferDualStack", "RequireDualStack", "SingleStack"}
	families             = []string{"IPv4", "IPv6"}
	trafficDistributions = []string{"PreferClose", "PreferSameZone", "PreferSameNode"}
)

const (
	onlyForLoadBalancers   = "may only be used when `type` is 'LoadBalancer'"
	notOnceSet             = "may not change once set"
	maxAffinitySeconds     = 86400
	kubeletPort            = 10250
	sourceRangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges"
)

func validateService(s *corev1.Service, r rules.Request) field.ErrorList {
	errs := append(rules.ValidateNewMetadata(s, r, rules.ServiceName(r)), serviceSpec(s, nil, r)...)
	return append(errs, externalTrafficCombined(s, errs, r)...)
}

func validateServiceUpdate(s, old *corev1.Service, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return loadBalancerStatus(s, old, r)
	}
	var errs rules.Errors
	errs.Add(keptAddresses(s, old, r))
	errs.Add(loadBalancerClass(s, old)) // its form is checked twice
	if hasHealthCheckPort(s) && hasHealthCheckPort(old) && s.Spec.HealthCheckNodePort != old.Spec.HealthCheckNodePort {
		errs.Forbidden(rules.SpecPath.Child("healthCheckNodePort"), "field is immutable")
	}
	if !r.Release.Has(kubeversion.ServiceMetadataOnCreate) {
		errs.Add(rules.ValidateNewMetadata(s, r, rules.ServiceName(r)))
		errs.Add(rules.ValidateFinalizers(s))
	}
	errs.Add(serviceSpec(s, old, r))
	errs.Add(externalTrafficCombined(s, errs.List(), r))
	return errs.List()
}

// keptAddresses checks that the addresses of a service and their families are kept. The second address may be added,
// and released on purpose.
func keptAddresses(s, old *corev1.Service, r rules.Request) field.ErrorList {
	if !r.Release.Has(kubeversion.ServiceFamilies) {
		return singleKept(&s.Spec, &old.Spec)
	}
	if s.Spec.Type == corev1.ServiceTypeExternalName || old.Spec.Type == corev1.ServiceTypeExternalName {
		return nil
	}
	var errs rules.Errors
	if !isHeadless(s) || !isHeadless(old) {
		errs.Add(keptIPs(&s.Spec, &old.Spec, r))
	}
	if !isHeadless(s) && !isHeadless(old) {
		errs.Add(keptFamilies(&s.Spec, &old.Spec, r))
	}
	return errs.List()
}

func keptIPs(spec, old *corev1.ServiceSpec, r rules.Request) field.ErrorList {
	var errs rules.Errors
	path, ips, before := rules.SpecPath.Child("clusterIPs"), spec.ClusterIPs, old.ClusterIPs
	for i := range min(len(ips), len(before)) {
		if ips[i] != before[i] && (i == 0 || len(ips) == len(before)) {
			errs.Invalid(path.Index(i), ips, notOnceSet)
		}
	}
	if len(before) <= len(ips) {
		return errs.List()
	}
	if len(ips) == 0 {
		errs.Invalid(path.Index(0), ips, "primary clusterIP can not be unset")
	}
	errs.Add(onPurpose(spec, len(ips), "clusterIP", r))
	return errs.List()
}

// keptFamilies reports the families or else the addresses as wrong, as the server does.
func keptFamilies(spec, old *corev1.ServiceSpec, r rules.Request) field.ErrorList {
	var errs rules.Errors
	first, f, before := rules.SpecPath.Child("ipFamilies").Index(0), spec.IPFamilies, old.IPFamilies
	if len(f) == len(before) {
		for i := range before {
			errs.Add(rules.Unless(f[i] == before[i], first, f, notOnceSet))
		}
		return errs.List()
	}
	if len(f) > 0 && len(before) > 0 && f[0] != before[0] {
		errs.Invalid(first, spec.ClusterIPs, notOnceSet)
	}
	if len(before) < len(f) {
		return errs.List()
	}
	if len(spec.ClusterIPs) == 0 {
		errs.Invalid(first, f, "primary ipFamily can not be unset")
	}
	errs.Add(onPurpose(spec, len(f), "ipFamily", r))
	return errs.List()
}

// onPurpose checks that the second address or family was released by a policy for a single one.
func onPurpose(spec *corev1.ServiceSpec, left int, released string, r rules.Request) field.ErrorList {
	if left != 1 || spec.IPFamilyPolicy != nil && *spec.IPFamilyPolicy == corev1.IPFamilyPolicySingleStack {
		return nil
	}
	message := "must be set to 'SingleStack' when releasing the secondary " + released
	if !r.Release.Has(kubeversion.ServicesAllocatedFirst) {
		return field.ErrorList{field.Invalid(rules.SpecPath.Child("clusterIPs").Index(0), spec.ClusterIPs, "`ipFamilyPolicy` "+message)}
	}
	return field.ErrorList{field.Invalid(rules.SpecPath.Child("ipFamilyPolicy"), spec.IPFamilyPolicy, message)}
}

func isHeadless(s *corev1.Service) bool {
	if len(s.Spec.ClusterIPs) == 0 {
		return s.Spec.ClusterIP == corev1.ClusterIPNone
	}
	return len(s.Spec.ClusterIPs) == 1 && s.Spec.ClusterIPs[0] == corev1.ClusterIPNone
}

func serviceSpec(s, old *corev1.Service, r rules.Request) field.ErrorList {
	spec := &s.Spec
	var errs rules.Errors
	if r.Release.Has(kubeversion.TopologyModes) {
		errs.Add(topologyAnnotations(s))
	}
	errs.Add(serviceOfType(s, r))
	errs.Add(servicePorts(s, old, r))
	errs.Add(metav1validation.ValidateLabels(spec.Selector, rules.SpecPath.Child("selector")))
	errs.Add(sessionAffinity(spec))
	errs.Add(serviceAddresses(s, old, r))
	if spec.Type == "" {
		errs.Required(rules.SpecPath.Child("type"), "")
	} else {
		errs.Add(rules.OneOf(&spec.Type, serviceTypes, rules.SpecPath.Child("type")))
	}
	errs.Add(topologyKeys(s))
	errs.Add(loadBalancer(s, old, r))
	errs.Add(validSingleFamily(s, old, r.Release))
	errs.Add(externalTraffic(s, r))
	errs.Add(rules.OneOf(spec.InternalTrafficPolicy, trafficPolicies, rules.SpecPath.Child("internalTrafficPolicy")))
	distributions := trafficDistributions
	if !r.Release.Has(kubeversion.TrafficNear) {
		distributions = trafficDistributions[:1]
	}
	errs.Add(rules.OneOf(spec.TrafficDistribution, distributions, rules.SpecPath.Child("trafficDistribution")))
	errs.Add(conditionalPorts(s, old, r))
	errs.Add(familyOfCluster(s, old, r))
	return errs.List()
}

// conditionalPorts checks what became possible later: other protocols, and several of them for a load balancer
// (kubernetes/kubernetes@v1.20.15:pkg/apis/core/validation/conditional_validation.go).
func conditionalPorts(s, old *corev1.Service, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.WithoutSCTP(r.Release, s, old, sctpPorts))
	if s.Spec.Type != corev1.ServiceTypeLoadBalancer || !hasSeveralProtocols(s) || r.Release.Has(kubeversion.BalancersMixProtocols) {
		return errs.List()
	}
	at, shown := rules.SpecPath.Child("ports"), rules.AsInternal(s.Spec.Ports)
	switch {
	case !r.Release.Has(kubeversion.MixedProtocolsKept):
		errs.Invalid(at, shown, "cannot create an external load balancer with mix protocols")
	case old == nil || !hasSeveralProtocols(old):
		errs.Invalid(at, shown, "may not contain more than 1 protocol when type is 'LoadBalancer'")
	}
	return errs.List()
}

func sctpPorts(s *corev1.Service) []*field.Path {
	var paths []*field.Path
	for i, p := range s.Spec.Ports {
		if p.Protocol == corev1.ProtocolSCTP {
			paths = append(paths, rules.SpecPath.Child("ports").Index(i).Child("protocol"))
		}
	}
	return paths
}

func hasSeveralProtocols(s *corev1.Service) bool {
	return slices.ContainsFunc(s.Spec.Ports, func(p corev1.ServicePort) bool { return p.Protocol != s.Spec.Ports[0].Protocol })
}

// topologyAnnotations requires an annotation to agree with its deprecated predecessor.
func topologyAnnotations(s *corev1.Service) field.ErrorList {
	const hints, mode = corev1.DeprecatedAnnotationTopologyAwareHints, corev1.AnnotationTopologyMode
	before, hasHints := s.Annotations[hints]
	after, hasMode := s.Annotations[mode]
	return rules.Unless(!hasHints || !hasMode || after == before, rules.AnnotationsPath.Key(mode), after, fmt.Sprintf("must match annotations[%s] when both are specified", hints))
}

func serviceOfType(s *corev1.Service, r rules.Request) field.ErrorList {
	var errs rules.Errors
	spec := &s.Spec
	if len(spec.Ports) == 0 && !isHeadless(s) && spec.Type != corev1.ServiceTypeExternalName {
		errs.Required(rules.SpecPath.Child("ports"), "")
	}
	if !r.Release.Has(kubeversion.ServiceFamilies) {
		errs.Add(singleOfType(spec))
	}
	switch spec.Type {
	case corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort:
		if isHeadless(s) && r.Release.Has(kubeversion.ServiceFamilies) {
			errs.Invalid(rules.SpecPath.Child("clusterIPs").Index(0), spec.ClusterIPs[0], fmt.Sprintf("may not be set to 'None' for %s services", spec.Type))
		}
	case corev1.ServiceTypeExternalName:
		if len(spec.ClusterIPs) > 0 {
			errs.Forbidden(rules.SpecPath.Child("clusterIPs"), "may not be set for ExternalName services")
		}
		if len(spec.IPFamilies) > 0 {
			errs.Forbidden(rules.SpecPath.Child("ipFamilies"), "may not be set for ExternalName services")
		}
		if spec.IPFamilyPolicy != nil {
			errs.Forbidden(rules.SpecPath.Child("ipFamilyPolicy"), "may not be set for ExternalName services")
		}
		name := strings.TrimSuffix(spec.ExternalName, ".")
		errs.Add(rules.Given(rules.SpecPath.Child("externalName"), name, rules.DNS1123Subdomain))
	}
	return errs.List()
}

func servicePorts(s, old *corev1.Service, r rules.Request) field.ErrorList {
	type use struct {
		protocol corev1.Protocol
		port     int32
	}
	var errs rules.Errors
	names, ports, nodePorts := map[string]bool{}, map[use]bool{}, map[use]bool{}
	protocolOff := appProtocolOff(r.Release, old != nil && slices.ContainsFunc(old.Spec.Ports, func(p corev1.ServicePort) bool { return p.AppProtocol != nil }))
	for i := range s.Spec.Ports {
		p, path := &s.Spec.Ports[i], rules.SpecPath.Child("ports").Index(i)
		errs.Add(servicePort(p, len(s.Spec.Ports) > 1, path))
		errs.Add(appProtocol(p.AppProtocol, protocolOff, path.Child("appProtocol")))
		if p.Name != "" && names[p.Name] {
			errs.Duplicate(path.Child("name"), p.Name)
		}
		if s.Spec.Type == corev1.ServiceTypeLoadBalancer && p.Port == kubeletPort && !r.Release.Has(kubeversion.KubeletPortExposed) {
			errs.Invalid(path, p.Port, "may not expose port 10250 externally since it is used by kubelet")
		}
		if p.NodePort != 0 && s.Spec.Type == corev1.ServiceTypeClusterIP {
			errs.Forbidden(path.Child("nodePort"), "may not be used when `type` is 'ClusterIP'")
		}
		if p.NodePort != 0 && nodePorts[use{p.Protocol, p.NodePort}] {
			errs.Duplicate(path.Child("nodePort"), p.NodePort)
		}
		if ports[use{p.Protocol, p.Port}] {
			errs.Duplicate(path, rules.AsInternal(corev1.ServicePort{Protocol: p.Protocol, Port: p.Port}))
		}
		names[p.Name], ports[use{p.Protocol, p.Port}], nodePorts[use{p.Protocol, p.NodePort}] = true, true, true
	}
	return errs.List()
}

func servicePort(p *corev1.ServicePort, several bool, path *field.Path) field.ErrorList {
	var errs rules.Errors
	switch {
	case p.Name != "":
		errs.Add(rules.Faults(path.Child("name"), p.Name, rules.DNS1123Label(p.Name)))
	case several:
		errs.Required(path.Child("name"), "")
	}
	errs.Add(rules.Faults(path.Child("port"), p.Port, utilvalidation.IsValidPortNum(int(p.Port))))
	if p.Protocol == "" {
		errs.Required(path.Child("protocol"), "")
	} else {
		errs.Add(rules.OneOf(&p.Protocol, rules.Protocols, path.Child("protocol")))
	}
	errs.Add(numberOrName(p.TargetPort, path.Child("targetPort")))
	return errs.List()
}

// appProtocolOff reports whether the ports of a service or of Endpoints must not have an appProtocol: while the gate is
// off, only objects that used it before may have it.
func appProtocolOff(r *kubeversion.Release, used bool) bool {
	return !used && r.Disabled("ServiceAppProtocol")
}

func appProtocol(name *string, off bool, at *field.Path) field.ErrorList {
	switch {
	case name == nil:
		return nil
	case off:
		return field.ErrorList{field.Forbidden(at, "This field can be enabled with the ServiceAppProtocol feature gate")}
	}
	return rules.QualifiedName(*name, at)
}

func numberOrName(p intstr.IntOrString, path *field.Path) field.ErrorList {
	if p.Type == intstr.String {
		return rules.Faults(path, p.StrVal, utilvalidation.IsValidPortName(p.StrVal))
	}
	return rules.Faults(path, int(p.IntVal), utilvalidation.IsValidPortNum(int(p.IntVal)))
}

func sessionAffinity(s *corev1.ServiceSpec) field.ErrorList {
	path := rules.SpecPath.Child("sessionAffinityConfig")
	switch s.SessionAffinity {
	case "":
		return field.ErrorList{field.Required(rules.SpecPath.Child("sessionAffinity"), "")}
	case corev1.ServiceAffinityNone:
		if s.SessionAffinityConfig != nil {
			return field.ErrorList{field.Forbidden(path, "must not be set when session affinity is None")}
		}
	case corev1.ServiceAffinityClientIP:
		c := s.SessionAffinityConfig
		if c == nil || c.ClientIP == nil || c.ClientIP.TimeoutSeconds == nil {
			return field.ErrorList{field.Required(path, "when session affinity type is ClientIP")}
		}
		t := *c.ClientIP.TimeoutSeconds
		return rules.Unless(t > 0 && t <= maxAffinitySeconds, path.Child("clientIP", "timeoutSeconds"), t, fmt.Sprintf("must be greater than 0 and less than %d", maxAffinitySeconds))
	}
	return rules.OneOf(&s.SessionAffinity, sessionAffinities, rules.SpecPath.Child("sessionAffinity"))
}

func serviceAddresses(s, old *corev1.Service, r rules.Request) field.ErrorList {
	var errs rules.Errors
	var before corev1.ServiceSpec
	if old != nil {
		before = old.Spec
	}
	for i, ip := range s.Spec.ExternalIPs {
		path := rules.SpecPath.Child("externalIPs").Index(i)
		wrong := rules.Address(path, ip, before.ExternalIPs, r)
		if len(wrong) == 0 {
			wrong = rules.OrdinaryAddress(ip, path)
		}
		errs.Add(wrong)
	}
	if !r.Release.Has(kubeversion.ServiceFamilies) {
		return append(singleValid(&s.Spec), errs.List()...)
	}
	errs.Add(relatedAddresses(s, old, r))
	return errs.List()
}

// relatedAddresses checks the interdependent fields about the addresses of a service.
func relatedAddresses(s, old *corev1.Service, r rules.Request) field.ErrorList {
	if s.Spec.Type == corev1.ServiceTypeExternalName {
		return nil
	}
	var known []string
	if old != nil {
		known = old.Spec.ClusterIPs
	}
	var errs rules.Errors
	errs.Add(rules.OneOf(s.Spec.IPFamilyPolicy, familyPolicies, rules.SpecPath.Child("ipFamilyPolicy")))
	seen := map[corev1.IPFamily]bool{}
	for i, f := range s.Spec.IPFamilies {
		path := rules.SpecPath.Child("ipFamilies").Index(i)
		errs.Add(rules.OneOf(&f, families, path))
		if seen[f] {
			errs.Duplicate(path, f)
		}
		seen[f] = true
	}
	errs.Add(clusterIPs(&s.Spec, known, r))
	return errs.List()
}

func clusterIPs(s *corev1.ServiceSpec, known []string, r rules.Request) field.ErrorList {
	path, ips := rules.SpecPath.Child("clusterIPs"), s.ClusterIPs
	unwanted, different := "must be empty when `clusterIP` is not specified", "first value must match `clusterIP`"
	if !r.Release.Has(kubeversion.ServicesAllocatedFirst) {
		unwanted, different = "must be empty when clusterIP is empty", "element [0] must match clusterIP"
	}
	var errs rules.Errors
	switch {
	case s.ClusterIP == "":
		errs.Add(rules.Unless(len(ips) == 0, path, ips, unwanted))
	case len(ips) == 0:
		errs.Required(path, "")
	default:
		errs.Add(rules.Unless(s.ClusterIP == ips[0], path, ips, different))
	}
	if len(ips) == 0 {
		return errs.List()
	}
	if len(ips) > 2 {
		errs.Invalid(path, ips, "may only hold up to 2 values")
	}
	wrong := len(errs.List())
	for i, ip := range ips {
		if i == 0 && ip == corev1.ClusterIPNone {
			errs.Add(rules.Unless(len(ips) == 1, path, ips, "'None' must be the first and only value"))
			continue
		}
		errs.Add(rules.Address(path.Index(i), ip, known, r))
	}
	if len(errs.List()) > wrong || ips[0] == corev1.ClusterIPNone {
		return errs.List()
	}
	if two, err := netutils.IsDualStackIPStrings(ips); err == nil && len(ips) > 1 && !two {
		errs.Invalid(path, ips, "may specify no more than one IP for each IP family")
	}
	for i, ip := range ips {
		if i < len(s.IPFamilies) && (s.IPFamilies[i] == corev1.IPv6Protocol) != netutils.IsIPv6String(ip) {
			errs.Invalid(path.Index(i), ip, fmt.Sprintf("expected an %s value as indicated by `ipFamilies[%d]`", s.IPFamilies[i], i))
		}
	}
	return errs.List()
}

func loadBalancer(s, old *corev1.Service, r rules.Request) field.ErrorList {
	var errs rules.Errors
	spec, isBalancer := &s.Spec, s.Spec.Type == corev1.ServiceTypeLoadBalancer
	path, ranges := rules.SpecPath.Child("LoadBalancerSourceRanges"), spec.LoadBalancerSourceRanges
	annotation, annotated := s.Annotations[sourceRangesAnnotation]
	at := path.Index
	if len(ranges) == 0 && annotated {
		path = rules.MetadataPath.Child("annotations").Key(sourceRangesAnnotation)
		at = func(int) *field.Path { return path }
		if trimmed := strings.TrimSpace(annotation); trimmed != "" {
			ranges = strings.Split(trimmed, ",")
		}
	}
	if (len(ranges) > 0 || annotated) && !isBalancer {
		errs.Forbidden(path, onlyForLoadBalancers)
	}
	var known []string
	if old != nil && len(spec.LoadBalancerSourceRanges) > 0 {
		known = rules.OldValues(old.Spec.LoadBalancerSourceRanges, strings.TrimSpace)
	} else if old != nil && old.Annotations[sourceRangesAnnotation] == annotation {
		ranges = nil
	}
	if !r.Release.Has(kubeversion.SourceRangesApart) {
		errs.Add(sourceRanges(s, ranges, path))
		ranges = nil
	}
	for i, cidr := range ranges {
		errs.Add(rules.Range(at(i), strings.TrimSpace(cidr), known, r))
	}
	if path := rules.SpecPath.Child("allocateLoadBalancerNodePorts"); isBalancer && spec.AllocateLoadBalancerNodePorts == nil && r.Release.Has(kubeversion.BalancerPortsOptional) {
		errs.Required(path, "")
	} else if !isBalancer && spec.AllocateLoadBalancerNodePorts != nil {
		errs.Forbidden(path, onlyForLoadBalancers)
	}
	errs.Add(loadBalancerClass(s, nil))
	return errs.List()
}

// sourceRanges checks the ranges as one value, whether in the field or in the annotation.
func sourceRanges(s *corev1.Service, ranges []string, at *field.Path) field.ErrorList {
	shown := s.Annotations[sourceRangesAnnotation]
	if len(s.Spec.LoadBalancerSourceRanges) > 0 {
		shown = fmt.Sprint(s.Spec.LoadBalancerSourceRanges)
	}
	for _, cidr := range ranges {
		if _, _, err := netutils.ParseCIDRSloppy(strings.TrimSpace(cidr)); err != nil {
			return field.ErrorList{field.Invalid(at, shown, "must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ")}
		}
	}
	return nil
}

func loadBalancerClass(s, old *corev1.Service) field.ErrorList {
	path, class, isBalancer := rules.SpecPath.Child("loadBalancerClass"), s.Spec.LoadBalancerClass, s.Spec.Type == corev1.ServiceTypeLoadBalancer
	var errs rules.Errors
	if isBalancer && old != nil && old.Spec.Type == corev1.ServiceTypeLoadBalancer {
		before := old.Spec.LoadBalancerClass
		same := class == nil && before == nil || class != nil && before != nil && *class == *before
		errs.Add(rules.Unless(same, path, class, notOnceSet))
	}
	switch {
	case class == nil:
		return errs.List()
	case !isBalancer:
		errs.Forbidden(path, onlyForLoadBalancers)
		return errs.List()
	}
	errs.Add(rules.QualifiedName(*class, path))
	return errs.List()
}

// externalTrafficCombined checks the fields of external traffic together, if nothing is wrong with anything else. In later
// releases, externalTraffic does (kubernetes/kubernetes@v1.22.17:pkg/registry/core/service/storage/rest.go).
func externalTrafficCombined(s *corev1.Service, wrong field.ErrorList, r rules.Request) field.ErrorList {
	if len(wrong) > 0 || r.Release.Has(kubeversion.ExternalTrafficAtOnce) {
		return nil
	}
	var errs rules.Errors
	if policy := s.Spec.ExternalTrafficPolicy; policy != "" && !isExternal(s, r.Release) {
		errs.Invalid(rules.SpecPath.Child("externalTrafficPolicy"), policy, "ExternalTrafficPolicy can only be set on NodePort and LoadBalancer service")
	}
	if port := s.Spec.HealthCheckNodePort; port != 0 && !hasHealthCheckPort(s) {
		errs.Invalid(rules.SpecPath.Child("healthCheckNodePort"), port, "HealthCheckNodePort can only be set on LoadBalancer service with ExternalTrafficPolicy=Local")
	}
	return errs.List()
}

func externalTraffic(s *corev1.Service, r rules.Request) field.ErrorList {
	var errs rules.Errors
	path, policy := rules.SpecPath.Child("externalTrafficPolicy"), s.Spec.ExternalTrafficPolicy
	if !r.Release.Has(kubeversion.ExternalTrafficAtOnce) {
		if policy != "" && !slices.Contains(trafficPolicies, string(policy)) {
			errs.Invalid(path, policy, "ExternalTrafficPolicy must be empty, Cluster or Local")
		}
		if port := s.Spec.HealthCheckNodePort; port < 0 {
			errs.Invalid(rules.SpecPath.Child("healthCheckNodePort"), port, "HealthCheckNodePort must be not less than 0")
		}
		return errs.List()
	}
	switch external := isExternal(s, r.Release); {
	case !external && policy != "":
		errs.Invalid(path, policy, "may only be set for externally-accessible services")
	case external && policy == "":
		errs.Required(path, "")
	case external:
		errs.Add(rules.OneOf(&policy, trafficPolicies, path))
	}
	path = rules.SpecPath.Child("healthCheckNodePort")
	switch port, needed := s.Spec.HealthCheckNodePort, hasHealthCheckPort(s); {
	case !needed && port != 0:
		errs.Invalid(path, port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'")
	case needed && port == 0:
		errs.Required(path, "")
	case needed:
		errs.Add(rules.Faults(path, port, utilvalidation.IsValidPortNum(int(port))))
	}
	return errs.List()
}

func loadBalancerStatus(s, old *corev1.Service, r rules.Request) field.ErrorList {
	path := field.NewPath("status", "loadBalancer", "ingress")
	ingress := s.Status.LoadBalancer.Ingress
	balancersOnly := r.Release.Has(kubeversion.BalancerStatusOfBalancers) && !r.Release.Enabled("AllowServiceLBStatusOnNonLB")
	if balancersOnly && s.Spec.Type != corev1.ServiceTypeLoadBalancer && len(ingress) > 0 {
		return field.ErrorList{field.Forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")}
	}
	var errs rules.Errors
	known := rules.OldValues(old.Status.LoadBalancer.Ingress, func(in corev1.LoadBalancerIngress) string { return in.IP })
	for i, in := range ingress {
		if in.IP != "" {
			errs.Add(rules.BalancerAddress(path.Index(i).Child("ip"), in.IP, known, r))
		}
		errs.Add(balancerMode(in, path.Index(i).Child("ipMode"), r))
		errs.Add(rules.SubdomainIfGiven(path.Index(i).Child("hostname"), in.Hostname))
		errs.Add(rules.NotAddress(path.Index(i).Child("hostname"), in.Hostname))
	}
	return errs.List()
}

// balancerMode requires the mode of an address. It has no default if the request did not say that the service is a load
// balancer.
func balancerMode(in corev1.LoadBalancerIngress, path *field.Path, r rules.Request) field.ErrorList {
	switch {
	case !r.Release.Has(kubeversion.IPModeChecked) || in.IPMode == nil && in.IP == "":
		return nil
	case in.IPMode == nil:
		return field.ErrorList{field.Required(path, "must be specified when `ip` is set")}
	case in.IP == "":
		return field.ErrorList{field.Forbidden(path, "may not be specified when `ip` is not set")}
	}
	return rules.Choice(*in.IPMode, path, corev1.LoadBalancerIPModeProxy, corev1.LoadBalancerIPModeVIP)
}

func serviceWarnings(s, _ *corev1.Service, r rules.Request) []string {
	if r.Subresource == "status" {
		w := &pod.Warner{}
		for i, in := range s.Status.LoadBalancer.Ingress {
			w.Balancer(in.IP, i, r)
		}
		return w.Texts
	}
	var warnings []string
	spec := &s.Spec
	if rules.Has(s.Annotations, corev1.DeprecatedAnnotationTopologyAwareHints) {
		warnings = append(warnings, fmt.Sprintf("annotation %s is deprecated, please use %s instead", corev1.DeprecatedAnnotationTopologyAwareHints, corev1.AnnotationTopologyMode))
	}
	switch {
	case !isHeadless(s):
		for i, ip := range spec.ClusterIPs {
			warnings = append(warnings, addressWarnings(rules.SpecPath.Child("clusterIPs").Index(i), ip, r)...)
		}
	case r.Release.Has(kubeversion.HeadlessWarnings):
		if spec.LoadBalancerIP != "" {
			warnings = append(warnings, "spec.loadBalancerIP is ignored for headless services")
		}
		if len(spec.ExternalIPs) > 0 {
			warnings = append(warnings, "spec.externalIPs is ignored for headless services")
		}
		if spec.SessionAffinity != corev1.ServiceAffinityNone {
			warnings = append(warnings, "spec.SessionAffinity is ignored for headless services")
		}
	}
	external := rules.SpecPath.Child("externalIPs")
	for i, ip := range spec.ExternalIPs {
		warnings = append(warnings, addressWarnings(external.Index(i), ip, r)...)
	}
	named := spec.Type == corev1.ServiceTypeExternalName
	if r.Release.Has(kubeversion.ExternalIPsDeprecated) && len(spec.ExternalIPs) > 0 && !isHeadless(s) && !named {
		warnings = append(warnings, "spec.externalIPs is deprecated and may no longer be implemented in some clusters")
	}
	if spec.LoadBalancerIP != "" {
		warnings = append(warnings, addressWarnings(rules.SpecPath.Child("loadBalancerIP"), spec.LoadBalancerIP, r)...)
	}
	for i, cidr := range spec.LoadBalancerSourceRanges {
		warnings = append(warnings, rangeWarnings(rules.SpecPath.Child("loadBalancerSourceRanges").Index(i), cidr, r)...)
	}
	if !r.Release.Has(kubeversion.IgnoredExternalWarnings) {
		return warnings
	}
	if named && len(spec.ExternalIPs) > 0 {
		warnings = append(warnings, fmt.Sprintf("spec.externalIPs is ignored when spec.type is %q", corev1.ServiceTypeExternalName))
	}
	if !named && spec.ExternalName != "" {
		warnings = append(warnings, fmt.Sprintf("spec.externalName is ignored when spec.type is not %q", corev1.ServiceTypeExternalName))
	}
	if d := spec.TrafficDistribution; r.Release.Has(kubeversion.PreferCloseDeprecated) && d != nil && *d == corev1.ServiceTrafficDistributionPreferClose {
		warnings = append(warnings, fmt.Sprintf("spec.trafficDistribution: %q is deprecated; use %q", *d, corev1.ServiceTrafficDistributionPreferSameZone))
	}
	return warnings
}

// addressWarnings returns what is unusual about an address of a service. Up to 1.32 the words were those of Go's parser
// (WA-05).
func addressWarnings(at *field.Path, ip string, r rules.Request) []string {
	if r.Release.Has(kubeversion.AddressWarnings) {
		return rules.AddressWarnings(at, ip, r)
	}
	a, err := netip.ParseAddr(ip)
	return parserWarnings(at, "IP address", "IPv6 address", ip, a.String(), a.Is6(), err)
}

// rangeWarnings is addressWarnings for a range of addresses.
func rangeWarnings(at *field.Path, cidr string, r rules.Request) []string {
	if r.Release.Has(kubeversion.AddressWarnings) {
		return rules.RangeWarnings(at, cidr, r)
	}
	p, err := netip.ParsePrefix(cidr)
	return parserWarnings(at, "IP prefix", "IPv6 prefix", cidr, p.String(), p.Addr().Is6(), err)
}

func parserWarnings(at *field.Path, name, nameV6, text, canonical string, is6 bool, err error) []string {
	switch {
	case err != nil:
		return []string{fmt.Sprintf("%s: %s was accepted, but will be invalid in a future Kubernetes release: %v", at, name, err)}
	case is6 && canonical != text:
		return []string{fmt.Sprintf("%s: %s %q is not in RFC 5952 canonical format (%q), which may cause controller apply-loops", at, nameV6, text, canonical)}
	}
	return nil
}
