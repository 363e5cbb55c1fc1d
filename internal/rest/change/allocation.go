package change

import (
	"fmt"
	"iter"
	"maps"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// What the server allocates to services by default. The lower part of both ranges is reserved for requests of a
// specific address or port.
const (
	firstPort, lastPort = 30000, 32767
	dynamicPorts        = 86
	dryRunPort          = 32768 // a dry run counts from here
)

// An Allocation is the set of addresses and node ports that one write of a service takes (PL-08). The server takes any
// that are free; here it is the first. An allocation is the [objects.Allocator] of that write.
type Allocation struct {
	Service *corev1.Service
	Old     *corev1.Service // nil on create
	DryRun  bool

	State   *cluster.State
	Release *kubeversion.Release
	Freed   bool // an address whose service has lost its IPAddress is free

	// Create sends the request of the server to itself that creates an IPAddress.
	Create func(address runtime.Object, name string) (refused *metav1.Status, err error)

	ports   []int32  // taken so far
	created []string // the names of the IPAddresses that the server deletes if the write fails
	err     error    // of Create
}

// Families returns the IP families of the cluster's ranges.
func (a *Allocation) Families() []corev1.IPFamily {
	var families []corev1.IPFamily
	for _, r := range bootstrap.ServiceRanges(a.State, a.Release) {
		if family := bootstrap.FamilyOf(r.Addr()); !slices.Contains(families, family) {
			families = append(families, family)
		}
	}
	if len(families) == 0 {
		return []corev1.IPFamily{corev1.IPv4Protocol}
	}
	return families
}

// Address allocates an address of that family.
func (a *Allocation) Address(family corev1.IPFamily, ip string) (taken, refused string) {
	if a.DryRun && !a.Release.Has(kubeversion.ServicesAllocatedFirst) {
		return ip, ""
	}
	if ip == "" {
		taken, refused = a.anyAddress(family)
	} else if taken, refused = ip, a.whyNotAddress(ip); refused == "" {
		refused = a.reserve(ip)
	}
	if refused != "" {
		a.created = nil // the server forgets the address of the other family
	}
	return taken, refused
}

// reserve writes the IPAddress of an address, which refers to the service (PL-08f). A dry run writes none.
func (a *Allocation) reserve(ip string) (refused string) {
	address, ok := bootstrap.ParseAddress(ip)
	if !ok || a.DryRun || a.err != nil || !a.Release.Has(kubeversion.AddressObjects) || a.Old != nil && slices.Contains(a.Old.Spec.ClusterIPs, ip) {
		return ""
	}
	status, err := a.Create(bootstrap.IPAddress(a.Service, address, a.Release), address.String())
	switch {
	case err != nil:
		a.err = err
	case status == nil:
		a.created = append(a.created, address.String())
	case status.Reason == metav1.StatusReasonAlreadyExists:
		return alreadyAllocated
	default:
		return status.Message
	}
	return ""
}

// Resource returns the resource of the IPAddresses that the server writes.
func (a *Allocation) Resource() schema.GroupVersionResource {
	return bootstrap.AddressVersion(a.Release).WithResource("ipaddresses")
}

// Created returns the IPAddresses that were written, unless the server has forgotten them, and an error of ours.
func (a *Allocation) Created() ([]string, error) { return a.created, a.err }

// Released returns the addresses that the service has no longer once it is written as s.
func (a *Allocation) Released(s *corev1.Service) []string {
	if a.Old == nil || a.DryRun {
		return nil
	}
	switch held := a.Held(a.Old); {
	case s.Spec.Type == corev1.ServiceTypeExternalName:
		return held
	case len(held) == 2 && len(s.Spec.IPFamilies) == 1:
		return held[1:]
	}
	return nil
}

// Held returns the names of the IPAddresses of a service. The server only looks for those in the ranges of the cluster.
func (a *Allocation) Held(s *corev1.Service) (names []string) {
	if s.Spec.Type == corev1.ServiceTypeExternalName || !a.Release.Has(kubeversion.AddressObjects) {
		return nil
	}
	ranges := bootstrap.ServiceRanges(a.State, a.Release)
	for _, ip := range s.Spec.ClusterIPs {
		if address, ok := bootstrap.ParseAddress(ip); ok && ranges.Allow(address) {
			names = append(names, address.String())
		}
	}
	return names
}

// triesAll reports whether a service gets another address if the IPAddress of the first is refused, until no address is
// left: kubernetes/kubernetes:pkg/registry/core/service/ipallocator/ipallocator.go before 1.35.
func (a *Allocation) triesAll() bool {
	r := a.Release
	return !r.Has(kubeversion.AllocationsRefused) && !(a.hasMap() && r.Has(kubeversion.AddressesMappedFirst))
}

// hasMap reports whether the server keeps, beside IPAddresses, the map of the addresses of services that releases without
// IPAddresses have: kubernetes/kubernetes:pkg/registry/core/service/ipallocator/cidrallocator.go.
func (a *Allocation) hasMap() bool { return a.Release.Disabled("DisableAllocatorDualWrite") }

// Port allocates a node port.
func (a *Allocation) Port(port int32) (taken int32, refused string) {
	if port == 0 {
		return a.anyPort(), ""
	}
	if refused = a.whyNotPort(port); refused == "" {
		a.ports = append(a.ports, port)
	}
	return port, refused
}

// whyNotAddress returns why a requested address cannot be allocated. Invalid addresses are left to validation; a dry
// run does not check whether the address is free.
func (a *Allocation) whyNotAddress(ip string) string {
	address, ok := bootstrap.ParseAddress(ip)
	if !ok || a.Old != nil && slices.Contains(a.Old.Spec.ClusterIPs, ip) {
		return ""
	}
	if ranges := bootstrap.ServiceRanges(a.State, a.Release); !ranges.Allow(address) {
		checked := ranges.For(bootstrap.FamilyOf(address))
		switch {
		case !a.Release.Has(kubeversion.ServicesAllocatedFirst):
			return fmt.Sprintf("provided IP is not in the valid range. The range of valid IPs is %s", checked)
		case a.DryRun || !bootstrap.HasServiceCIDRs(a.Release): // a dry run does not check which of the ranges contains the address
			return fmt.Sprintf("the provided IP (%s) is not in the valid range. The range of valid IPs is %s", address, checked)
		}
		return "the provided network does not match the current range"
	}
	if !a.DryRun && slices.Contains(a.known(), address) {
		return alreadyAllocated
	}
	return ""
}

const alreadyAllocated = "provided IP is already allocated"

// whyNotPort returns why a requested port cannot be allocated. A dry run does not check whether the port is in the
// range.
func (a *Allocation) whyNotPort(port int32) string {
	switch {
	case !a.DryRun && (port < firstPort || port > lastPort):
		return fmt.Sprintf("provided port is not in the valid range. The range of valid ports is %d-%d", firstPort, lastPort)
	case slices.Contains(a.taken(), port) || slices.Contains(a.ports, port):
		return "provided port is already allocated"
	}
	return ""
}

// anyAddress allocates a free address of a family; a dry run gets the one that cannot be allocated.
func (a *Allocation) anyAddress(family corev1.IPFamily) (taken, refused string) {
	ranges := bootstrap.ServiceRanges(a.State, a.Release)
	if len(ranges) == 0 {
		ranges = bootstrap.DefaultServiceRanges(a.Release)
	}
	within := ranges.For(family)
	if a.DryRun {
		return within.Masked().Addr().String(), ""
	}
	used := a.addresses()
	for ip := range candidates(within) {
		if slices.Contains(used, ip) {
			continue
		}
		refused := a.reserve(ip.String())
		if refused == "" {
			return ip.String(), ""
		}
		if !a.triesAll() && (refused != alreadyAllocated || !a.Release.Has(kubeversion.AllocationsRefused)) {
			return "", refused
		}
	}
	return "", objects.RangeFull
}

// candidates returns the addresses of a range in the order in which they are given out: first those that are not
// reserved, then the others.
func candidates(within bootstrap.Range) iter.Seq[netip.Addr] {
	first := within.First()
	unreserved := first
	for range reservedAddresses(within.Prefix) {
		unreserved = unreserved.Next()
	}
	return func(yield func(netip.Addr) bool) {
		for ip := unreserved; within.Has(ip); ip = ip.Next() {
			if !yield(ip) {
				return
			}
		}
		for ip := first; ip != unreserved && within.Has(ip); ip = ip.Next() {
			if !yield(ip) {
				return
			}
		}
	}
}

// reservedAddresses returns how many addresses of a range are only given out on request.
func reservedAddresses(p netip.Prefix) int {
	bits := p.Addr().BitLen() - p.Bits()
	size := 1 << min(bits, 16)
	return min(max(16, size/16), 256)
}

// anyPort returns a free port. A dry run does not check which are free.
func (a *Allocation) anyPort() int32 {
	port := int32(firstPort + dynamicPorts)
	if a.DryRun {
		port = dryRunPort + 1
		if len(a.ports) > 0 {
			port = max(0, slices.Max(a.ports)) + 1
		}
	} else {
		for taken := a.taken(); slices.Contains(taken, port) || slices.Contains(a.ports, port); {
			port++
		}
	}
	a.ports = append(a.ports, port)
	return port
}

// addresses returns the addresses that are taken: those that have an IPAddress, and those that the server knows to be taken
// without one.
func (a *Allocation) addresses() []netip.Addr {
	all := a.known()
	if !a.Release.Has(kubeversion.AddressObjects) {
		return all
	}
	return slices.AppendSeq(all, maps.Keys(a.objects()))
}

// known returns the addresses that the server knows to be taken without asking for an IPAddress: those of services, in
// releases without IPAddresses, or if it keeps a map as these do. A service without an IPAddress keeps its address, unless
// that is free.
func (a *Allocation) known() (all []netip.Addr) {
	byObject := a.Release.Has(kubeversion.AddressObjects) && !a.hasMap() // asking for an IPAddress decides
	if byObject && a.Freed {
		return nil
	}
	var objects map[netip.Addr]bool
	if byObject {
		objects = a.objects()
	}
	for u := range takenIn(a.State) {
		if u.port == 0 && !objects[u.address] {
			all = append(all, u.address)
		}
	}
	return all
}

// objects returns the addresses that have an IPAddress.
func (a *Allocation) objects() map[netip.Addr]bool {
	all := map[netip.Addr]bool{}
	for kept := range a.State.List(schema.GroupKind{Group: networkingv1.GroupName, Kind: "IPAddress"}, "") {
		m, err := meta.Accessor(kept.Object)
		if err != nil {
			continue
		}
		if address, ok := bootstrap.ParseAddress(m.GetName()); ok {
			all[address] = true
		}
	}
	return all
}

// taken returns the node ports that are taken.
func (a *Allocation) taken() (all []int32) {
	for u := range takenIn(a.State) {
		if u.port != 0 {
			all = append(all, u.port)
		}
	}
	return all
}
