// kubernetes/kubernetes:pkg/apis/discovery/v1beta1/conversion.go

package discovery

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	discoveryv1beta1 "k8s.io/api/discovery/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// endpointSliceV1alpha1 is the version of 1.16. Its addresses had a type of their own, IP, for both families.
func endpointSliceV1alpha1() *rules.Version {
	ip := discoveryv1beta1.AddressType("IP")
	s := rules.Reshape(builtin.DiscoveryV1alpha1, discoveryv1.SchemeGroupVersion, "EndpointSlice", func(s *builtin.EndpointSlice) { rules.SetDefault(&s.AddressType, ip) })
	s.ToHub = func(o, empty runtime.Object) runtime.Object {
		beta := rules.Refit[*discoveryv1beta1.EndpointSlice](o)
		hub := rules.Fill(beta, empty).(*discoveryv1.EndpointSlice)
		sliceToHub(beta, hub)
		if t := o.(*builtin.EndpointSlice).AddressType; t == nil || *t == ip {
			hub.AddressType = familyOf(hub)
		}
		return hub
	}
	s.FromHub = func(o, empty runtime.Object) runtime.Object {
		beta := rules.Refit[*discoveryv1beta1.EndpointSlice](o)
		sliceFromHub(o.(*discoveryv1.EndpointSlice), beta)
		alpha := rules.Fill(beta, empty).(*builtin.EndpointSlice)
		if t := alpha.AddressType; t != nil && (*t == discoveryv1beta1.AddressTypeIPv4 || *t == discoveryv1beta1.AddressTypeIPv6) {
			alpha.AddressType = &ip
		}
		return alpha
	}
	return s
}

func familyOf(s *discoveryv1.EndpointSlice) discoveryv1.AddressType {
	for _, e := range s.Endpoints {
		for _, address := range e.Addresses {
			if strings.Contains(address, ":") {
				return discoveryv1.AddressTypeIPv6
			}
		}
	}
	return discoveryv1.AddressTypeIPv4
}

// The topology of a v1beta1 endpoint consists of its node, its zone and the rest.
func sliceToHub(in *discoveryv1beta1.EndpointSlice, out *discoveryv1.EndpointSlice) {
	for i := range in.Endpoints {
		for key, value := range in.Endpoints[i].Topology {
			switch key {
			case corev1.LabelHostname:
				if in.Endpoints[i].NodeName == nil {
					out.Endpoints[i].NodeName = &value
				}
			case corev1.LabelTopologyZone:
				out.Endpoints[i].Zone = &value
			default:
				out.Endpoints[i].DeprecatedTopology = rules.With(out.Endpoints[i].DeprecatedTopology, key, value)
			}
		}
	}
}

func sliceFromHub(in *discoveryv1.EndpointSlice, out *discoveryv1beta1.EndpointSlice) {
	for i := range in.Endpoints {
		topology := in.Endpoints[i].DeprecatedTopology
		for key, value := range map[string]*string{corev1.LabelHostname: in.Endpoints[i].NodeName, corev1.LabelTopologyZone: in.Endpoints[i].Zone} {
			if value != nil {
				topology = rules.With(topology, key, *value)
			}
		}
		out.Endpoints[i].Topology = topology
	}
}
