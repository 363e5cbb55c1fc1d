package bootstrap

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// WithIPAddresses returns the cluster in which the address of each service has an IPAddress, as a controller of the server
// makes it when the server starts: kubernetes/kubernetes:pkg/registry/core/service/ipallocator/controller/repairip.go.
func WithIPAddresses(s *cluster.State, r *kubeversion.Release) *cluster.State {
	if !r.Has(kubeversion.AddressObjects) {
		return s
	}
	var made []cluster.Object
	for kept := range s.List(schema.GroupKind{Kind: "Service"}, "") {
		service, ok := kept.Object.(*corev1.Service)
		if !ok || service.Spec.Type == corev1.ServiceTypeExternalName {
			continue
		}
		for _, ip := range service.Spec.ClusterIPs {
			address, ok := netip.AddrFromSlice(netutils.ParseIPSloppy(ip))
			if address = address.Unmap(); !ok || !InServiceRange(s, address) {
				continue
			}
			object := IPAddress(service, address)
			object.UID, object.ResourceVersion = types.UID(uidsOfAddress+Digits("/"+object.Name)), "1"
			if _, exists := s.Find(cluster.KeyOf(object)); !exists {
				made = append(made, cluster.Object{Object: object})
			}
		}
	}
	if made == nil {
		return s
	}
	return s.With(made...)
}

// AddressManager is the label of the IPAddresses that a server creates.
const AddressManager = "ipallocator.k8s.io"

// IPAddress returns the IPAddress that a server creates for an address of a service.
func IPAddress(s *corev1.Service, address netip.Addr) *networkingv1.IPAddress {
	family := corev1.IPv4Protocol
	if address.Is6() {
		family = corev1.IPv6Protocol
	}
	return &networkingv1.IPAddress{
		TypeMeta: metav1.TypeMeta{APIVersion: networkingv1.SchemeGroupVersion.String(), Kind: "IPAddress"},
		ObjectMeta: metav1.ObjectMeta{Name: address.String(), Labels: map[string]string{
			networkingv1.LabelIPAddressFamily: string(family),
			networkingv1.LabelManagedBy:       AddressManager,
		}},
		Spec: networkingv1.IPAddressSpec{ParentRef: &networkingv1.ParentReference{Resource: "services", Namespace: s.Namespace, Name: s.Name}},
	}
}

// ServiceRanges returns the ranges of a cluster for the addresses of services.
func ServiceRanges(s *cluster.State) (all []netip.Prefix) {
	for kept := range s.List(schema.GroupKind{Group: networkingv1.GroupName, Kind: "ServiceCIDR"}, "") {
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

// InServiceRange reports whether a service of a cluster can have an address. If the cluster has no ranges, it can have any.
func InServiceRange(s *cluster.State, address netip.Addr) bool {
	ranges := ServiceRanges(s)
	return len(ranges) == 0 || slices.ContainsFunc(ranges, func(r netip.Prefix) bool { return r.Contains(address) })
}
