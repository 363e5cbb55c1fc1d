package rest

import (
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/objects"
)

// What the server allocates to services unless its flags say otherwise. The lower part of
// both ranges is left to those who ask for a certain address or port.
const (
	serviceRange        = "10.0.0.0/24"
	firstPort, lastPort = 30000, 32767
	dynamicPorts        = 86
	dryRunPort          = 32768 // a dry run counts from here
)

// An allocation is what one write of a service takes of addresses and node ports (2.1.1
// step 12). The server takes any that is free; here it is the first.
// kubernetes/kubernetes:pkg/registry/core/service/storage/alloc.go.
type allocation struct {
	*exchange
	service *corev1.Service
	old     *corev1.Service // nil on create
	ports   []int32         // taken so far
}

// beginWrite starts the write of an object whose kind allocates something, and refuses what
// it asks for if that is taken. old is nil on create.
func (x *exchange) beginWrite(object, old runtime.Object) (objects.Write, error) {
	write := x.write()
	service, ok := object.(*corev1.Service)
	if !ok || x.req.Subresource != "" || service.Spec.Type == corev1.ServiceTypeExternalName {
		return write, nil
	}
	a := &allocation{exchange: x, service: service}
	a.old, _ = old.(*corev1.Service)
	if err := a.claim(); err != nil {
		return write, err
	}
	write.ClusterIP, write.NodePort = a.clusterIP, a.nodePort
	return write, nil
}

// claim takes what the service asks for by name.
func (a *allocation) claim() error {
	ips := a.service.Spec.ClusterIPs
	if len(ips) == 0 && a.service.Spec.ClusterIP != "" {
		ips = []string{a.service.Spec.ClusterIP}
	}
	for _, ip := range ips {
		if why := a.whyNotAddress(ip); why != "" {
			return a.invalid(field.Invalid(field.NewPath("spec", "clusterIPs"), ips, fmt.Sprintf("failed to allocate IP %s: %s", ip, why)))
		}
	}
	for i, p := range a.service.Spec.Ports {
		if p.NodePort == 0 || slices.Contains(a.ports, p.NodePort) || a.had(p.NodePort) {
			continue
		}
		if why := a.whyNotPort(p.NodePort); why != "" {
			return a.invalid(field.Invalid(field.NewPath("spec", "ports").Index(i).Child("nodePort"), p.NodePort, why))
		}
		a.ports = append(a.ports, p.NodePort)
	}
	return nil
}

func (a *allocation) invalid(e *field.Error) error {
	return a.exchange.invalid(a.service, field.ErrorList{e})
}

// whyNotAddress says what is wrong with an address that is asked for. What is no address at
// all is left to validation; a dry run does not look whether it is taken.
func (a *allocation) whyNotAddress(ip string) string {
	address, err := netip.ParseAddr(ip)
	if err != nil || a.old != nil && slices.Contains(a.old.Spec.ClusterIPs, ip) {
		return ""
	}
	ranges := a.ranges()
	if len(ranges) > 0 && !slices.ContainsFunc(ranges, func(r netip.Prefix) bool { return r.Contains(address) }) {
		return "the provided network does not match the current range"
	}
	if !a.dryRun() && slices.Contains(a.addresses(), ip) {
		return "provided IP is already allocated"
	}
	return ""
}

func (a *allocation) whyNotPort(port int32) string {
	switch {
	case port < firstPort || port > lastPort:
		return fmt.Sprintf("provided port is not in the valid range. The range of valid ports is %d-%d", firstPort, lastPort)
	case slices.Contains(a.taken(), port):
		return "provided port is already allocated"
	}
	return ""
}

func (a *allocation) had(port int32) bool {
	return a.old != nil && slices.ContainsFunc(a.old.Spec.Ports, func(p corev1.ServicePort) bool { return p.NodePort == port })
}

// clusterIP is a free address; a dry run gets the one that nobody can have.
func (a *allocation) clusterIP() string {
	within := netip.MustParsePrefix(serviceRange)
	if ranges := a.ranges(); len(ranges) > 0 {
		within = ranges[0]
	}
	if a.dryRun() {
		return within.Masked().Addr().String()
	}
	taken := a.addresses()
	ip := within.Masked().Addr()
	for range 1 + reservedAddresses(within) {
		ip = ip.Next()
	}
	for ; within.Contains(ip.Next()); ip = ip.Next() {
		if !slices.Contains(taken, ip.String()) {
			return ip.String()
		}
	}
	return "" // a full range is refused by validation
}

// reservedAddresses is how many addresses of a range are not given out unasked.
func reservedAddresses(p netip.Prefix) int {
	bits := p.Addr().BitLen() - p.Bits()
	size := 1 << min(bits, 16)
	return min(max(16, size/16), 256)
}

// nodePort is a free port. A dry run does not look which are free.
func (a *allocation) nodePort() int32 {
	port := int32(firstPort + dynamicPorts)
	if a.dryRun() {
		port = dryRunPort + 1
		if len(a.ports) > 0 {
			port = slices.Max(a.ports) + 1
		}
	} else {
		for taken := a.taken(); slices.Contains(taken, port) || slices.Contains(a.ports, port); {
			port++
		}
	}
	a.ports = append(a.ports, port)
	return port
}

// addresses are those of the cluster's services.
func (a *allocation) addresses() (all []string) {
	for s := range a.services() {
		all = append(all, s.Spec.ClusterIPs...)
		all = append(all, s.Spec.ClusterIP)
	}
	return all
}

// taken are the node ports of the cluster's services.
func (a *allocation) taken() (all []int32) {
	for s := range a.services() {
		for _, p := range s.Spec.Ports {
			all = append(all, p.NodePort)
		}
		all = append(all, s.Spec.HealthCheckNodePort)
	}
	return all
}

func (a *allocation) services() func(yield func(*corev1.Service) bool) {
	return func(yield func(*corev1.Service) bool) {
		for kept := range a.state.List(schema.GroupKind{Kind: "Service"}, "") {
			if s, ok := kept.Object.(*corev1.Service); ok && !yield(s) {
				return
			}
		}
	}
}

// ranges are the service ranges that the cluster says it has. Where it says nothing, any
// address may be asked for.
func (a *allocation) ranges() (all []netip.Prefix) {
	for kept := range a.state.List(schema.GroupKind{Group: networkingv1.GroupName, Kind: "ServiceCIDR"}, "") {
		cidr, ok := kept.Object.(*networkingv1.ServiceCIDR)
		if !ok {
			continue
		}
		for _, text := range cidr.Spec.CIDRs {
			if p, err := netip.ParsePrefix(text); err == nil {
				all = append(all, p)
			}
		}
	}
	return all
}
