package objects

import (
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/admsim/admsim/internal/removed"
)

// networkingGroup is what the server has of the group.
func networkingGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(removed.NetworkingV1alpha1, "ClusterCIDR", clusterCIDR),
			hub(networkingv1.SchemeGroupVersion, "Ingress", ingress),
			hub(networkingv1.SchemeGroupVersion, "IngressClass", ingressClass),
			hub(networkingv1.SchemeGroupVersion, "IPAddress", ipAddress),
			hub(networkingv1.SchemeGroupVersion, "NetworkPolicy", networkPolicy),
			hub(networkingv1.SchemeGroupVersion, "ServiceCIDR", serviceCIDR),
		},
		Versions: networkingVersions(),
	}
}
