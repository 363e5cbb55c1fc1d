package bootstrap

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	networkingv1beta1 "k8s.io/api/networking/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// DefaultServiceRange is the range of a server without the flag --service-cluster-ip-range.
const DefaultServiceRange = "10.0.0.0/24"

// The limits of a range, as binary digits that differ between its addresses.
const (
	leastRange = 3  // eight addresses
	mostRange  = 20 // in releases that keep all addresses in one map
	mostMapped = 16 // of an IPv6 range, whose map has no place for more
)

// CheckServiceRanges returns ranges as the flag --service-cluster-ip-range of a server gives them, in the form in which
// the server shows them, or why it does not start with them:
// kubernetes/kubernetes:cmd/kube-apiserver/app/options/validation.go, validateClusterIPFlags.
func CheckServiceRanges(texts []string, r *kubeversion.Release) (ranges []string, err error) {
	var families []corev1.IPFamily
	for _, text := range texts {
		_, network, err := netutils.ParseCIDRSloppy(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not a range of addresses", text)
		}
		ones, bits := network.Mask.Size()
		switch {
		case bits-ones < leastRange:
			return nil, fmt.Errorf("%s has fewer than %d addresses", text, 1<<leastRange)
		case bits-ones > mostRange && !(r.Has(kubeversion.AddressObjects) && !r.Disabled("DisableAllocatorDualWrite")):
			return nil, fmt.Errorf("%s is too large: its prefix has to be at least /%d", text, bits-mostRange)
		}
		within, err := netip.ParsePrefix(network.String())
		if err != nil {
			return nil, err
		}
		ranges, families = append(ranges, within.String()), append(families, FamilyOf(within.Addr()))
	}
	switch {
	case len(ranges) == 0:
		return nil, errors.New("at least one range is needed")
	case len(ranges) > 2:
		return nil, errors.New("there are more than two ranges")
	case len(ranges) == 2 && families[0] == families[1]:
		return nil, fmt.Errorf("%s and %s are of the same IP family", ranges[0], ranges[1])
	}
	return ranges, nil
}

// ParseAddress reads an address, which may have leading zeros. ok is false if text is not an address.
func ParseAddress(text string) (address netip.Addr, ok bool) {
	address, ok = netip.AddrFromSlice(netutils.ParseIPSloppy(text))
	return address.Unmap(), ok
}

// FamilyOf returns the IP family of an address.
func FamilyOf(address netip.Addr) corev1.IPFamily {
	if address.Is6() {
		return corev1.IPv6Protocol
	}
	return corev1.IPv4Protocol
}

// ServerRanges returns the ranges with which the server of a cluster was started, judged by its objects: those of the
// ServiceCIDR kubernetes, or those that a server has by default. It returns none if a service has an address elsewhere.
func ServerRanges(s *cluster.State, r *kubeversion.Release) []string {
	key := cluster.Key{GroupKind: schema.GroupKind{Group: networkingv1.GroupName, Kind: "ServiceCIDR"}, Name: own}
	if found, ok := s.Find(key); ok {
		return rangesOf(found.Object)
	}
	known := slices.Concat(ServiceRanges(s, r), DefaultServiceRanges(r))
	for kept := range s.List(schema.GroupKind{Kind: "Service"}, "") {
		service, ok := kept.Object.(*corev1.Service)
		if !ok {
			continue
		}
		for _, ip := range append([]string{service.Spec.ClusterIP}, service.Spec.ClusterIPs...) {
			if address, ok := ParseAddress(ip); ok && !known.have(address) {
				return nil
			}
		}
	}
	return []string{DefaultServiceRange}
}

// A Range is a range of a cluster for the addresses of services.
type Range struct {
	netip.Prefix
	first, last netip.Addr // that a service can have
}

// rangeOf returns a range as the allocators of a release have it: without the address of the network, without the broadcast
// address of IPv4, and without addresses of IPv6 for which a map of all addresses has no place:
// kubernetes/kubernetes:pkg/registry/core/service/ipallocator/bitmap.go and ipallocator.go there.
func rangeOf(p netip.Prefix, r *kubeversion.Release) Range {
	base, digits := p.Masked().Addr(), p.Addr().BitLen()-p.Bits()
	if base.Is4() {
		return Range{p, base.Next(), withOnes(base, digits).Prev()}
	}
	if !r.Has(kubeversion.AddressObjects) {
		digits = min(digits, mostMapped)
	}
	return Range{p, base.Next(), withOnes(base, digits)}
}

// withOnes returns an address with ones as its last binary digits.
func withOnes(address netip.Addr, digits int) netip.Addr {
	bytes := address.AsSlice()
	for i := len(bytes) - 1; digits > 0; i, digits = i-1, digits-8 {
		bytes[i] |= 1<<min(digits, 8) - 1
	}
	address, _ = netip.AddrFromSlice(bytes)
	return address
}

// Has reports whether a service can have an address of the range.
func (r Range) Has(address netip.Addr) bool {
	return r.first.Compare(address) <= 0 && address.Compare(r.last) <= 0
}

// First returns the first address of a range that a service can have.
func (r Range) First() netip.Addr { return r.first }

// Ranges are the ranges of a cluster. If there are none, a service can have any address.
type Ranges []Range

// Allow reports whether a service can have an address.
func (r Ranges) Allow(address netip.Addr) bool { return len(r) == 0 || r.have(address) }

func (r Ranges) have(address netip.Addr) bool {
	return slices.ContainsFunc(r, func(one Range) bool { return one.Has(address) })
}

// For returns the range of an IP family, or the first range if there is none of this family. r must not be empty.
func (r Ranges) For(family corev1.IPFamily) Range {
	return r[max(0, slices.IndexFunc(r, func(one Range) bool { return FamilyOf(one.Addr()) == family }))]
}

// DefaultServiceRanges are the ranges of a server without the flag.
func DefaultServiceRanges(r *kubeversion.Release) Ranges {
	return parsedRanges([]string{DefaultServiceRange}, r)
}

// HasServiceCIDRs reports whether the ranges of a server are its ServiceCIDRs, and not those of its flag.
func HasServiceCIDRs(r *kubeversion.Release) bool {
	return r.Has(kubeversion.AddressObjects) && r.Has(kubeversion.ServiceRangesVary)
}

// rangesMemory is under what name a cluster remembers the ranges of the server's flag.
const rangesMemory = "service ranges"

// ServiceRanges returns the ranges of a cluster.
func ServiceRanges(s *cluster.State, r *kubeversion.Release) (all Ranges) {
	if !HasServiceCIDRs(r) {
		all, _ = s.Memory(rangesMemory).(Ranges)
		return all
	}
	for kept := range s.List(schema.GroupKind{Group: networkingv1.GroupName, Kind: "ServiceCIDR"}, "") {
		all = append(all, parsedRanges(rangesOf(kept.Object), r)...)
	}
	return all
}

func parsedRanges(texts []string, r *kubeversion.Release) (all Ranges) {
	for _, text := range texts {
		if p, err := netip.ParsePrefix(text); err == nil {
			all = append(all, rangeOf(p, r))
		}
	}
	return all
}

// rangesOf returns the ranges of a ServiceCIDR.
func rangesOf(object runtime.Object) []string {
	switch cidr := object.(type) {
	case *networkingv1.ServiceCIDR:
		return cidr.Spec.CIDRs
	case *networkingv1beta1.ServiceCIDR:
		return cidr.Spec.CIDRs
	case *builtin.ServiceCIDR:
		return cidr.Spec.CIDRs
	}
	return nil
}
