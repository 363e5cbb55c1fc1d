package objects

import (
	"strings"

	discoveryv1 "k8s.io/api/discovery/v1"
	discoveryv1beta1 "k8s.io/api/discovery/v1beta1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta1 "k8s.io/api/flowcontrol/v1beta1"
	flowcontrolv1beta2 "k8s.io/api/flowcontrol/v1beta2"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/removed"
)

// priorityLevelVersions are those whose fields are elsewhere now.
func priorityLevelVersions() []*spoke {
	const level = "PriorityLevelConfiguration"
	return []*spoke{
		moved(removed.FlowcontrolV1alpha1, flowcontrolv1.SchemeGroupVersion, level, nominalShares, assuredShares),
		moved(flowcontrolv1beta1.SchemeGroupVersion, flowcontrolv1.SchemeGroupVersion, level, nominalShares, assuredShares),
		moved(flowcontrolv1beta2.SchemeGroupVersion, flowcontrolv1.SchemeGroupVersion, level, nominalShares, assuredShares),
	}
}

// The shares of a priority level were called assured up to v1beta2.
func nominalShares(c map[string]any) {
	rename(under(c, "spec", "limited"), "assuredConcurrencyShares", "nominalConcurrencyShares")
}

func assuredShares(c map[string]any) {
	rename(under(c, "spec", "limited"), "nominalConcurrencyShares", "assuredConcurrencyShares")
}

func rename(c map[string]any, from, to string) {
	if value, ok := c[from]; ok {
		c[to] = value
		delete(c, from)
	}
}

// A capacity of v1alpha3 is a quantity, not an object with one in it.
func flattenBareDevice(d map[string]any) {
	flatten("basic")(d)
	for name, quantity := range under(d, "capacity") {
		under(d, "capacity")[name] = map[string]any{"value": quantity}
	}
}

func nestBareDevice(d map[string]any) {
	for name := range under(d, "capacity") {
		under(d, "capacity")[name] = under(d, "capacity", name)["value"]
	}
	nestDevice(d)
}

// A claim of 1.26 had one handle, of its own driver.
func severalHandles(c map[string]any) {
	if allocation := under(c, "status", "allocation"); allocation["resourceHandle"] != nil {
		allocation["resourceHandles"] = []any{map[string]any{"data": allocation["resourceHandle"], "driverName": under(c, "status")["driverName"]}}
		delete(allocation, "resourceHandle")
	}
}

func oneHandle(c map[string]any) {
	allocation := under(c, "status", "allocation")
	each(allocation["resourceHandles"], func(handle map[string]any) { allocation["resourceHandle"] = handle["data"] })
	delete(allocation, "resourceHandles")
}

// endpointSliceV1alpha1 is that of 1.16, whose addresses were of a type of their own, IP,
// which is either family.
func endpointSliceV1alpha1() *spoke {
	ip := discoveryv1beta1.AddressType("IP")
	s := reshape(removed.DiscoveryV1alpha1, discoveryv1.SchemeGroupVersion, "EndpointSlice", func(s *removed.EndpointSlice) { setDefault(&s.AddressType, ip) })
	s.toHub = func(o, empty runtime.Object) runtime.Object {
		beta := refit[*discoveryv1beta1.EndpointSlice](o)
		hub := fill(beta, empty).(*discoveryv1.EndpointSlice)
		sliceToHub(beta, hub)
		if t := o.(*removed.EndpointSlice).AddressType; t == nil || *t == ip {
			hub.AddressType = familyOf(hub)
		}
		return hub
	}
	s.fromHub = func(o, empty runtime.Object) runtime.Object {
		beta := refit[*discoveryv1beta1.EndpointSlice](o)
		sliceFromHub(o.(*discoveryv1.EndpointSlice), beta)
		alpha := fill(beta, empty).(*removed.EndpointSlice)
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
