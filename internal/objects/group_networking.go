package objects

import (
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/admsim/admsim/internal/removed"
)

// networkingKinds are those of the group.
func networkingKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
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
