// Package networking has the rules of Ingress, NetworkPolicy, IPAddress and ServiceCIDR. It follows
// kubernetes/kubernetes:pkg/apis/networking and the strategies of pkg/registry.
package networking

import (
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(builtin.NetworkingV1alpha1, "ClusterCIDR", clusterCIDR),
			rules.Hub(networkingv1.SchemeGroupVersion, "Ingress", ingress),
			rules.Hub(networkingv1.SchemeGroupVersion, "IngressClass", ingressClass),
			rules.Hub(networkingv1.SchemeGroupVersion, "IPAddress", ipAddress),
			rules.Hub(networkingv1.SchemeGroupVersion, "NetworkPolicy", networkPolicy),
			rules.Hub(networkingv1.SchemeGroupVersion, "ServiceCIDR", serviceCIDR),
		},
		Versions: networkingVersions(),
	}
}
