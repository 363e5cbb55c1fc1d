package subresources

import (
	"net"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// podProxy checks for the pod of a proxy request, which is named alone or as name:port or scheme:name:port:
// kubernetes/kubernetes:pkg/registry/core/pod/strategy.go, ResourceLocation.
func (r Request) podProxy() error {
	_, name, _, ok := utilnet.SplitSchemeNamePort(r.Name)
	if !ok {
		return badRequest("invalid pod request %q", r.Name)
	}
	pod, err := coreObject[*corev1.Pod](r, "Pod", name)
	if err != nil {
		return err
	}
	ip := pod.Status.PodIP
	if ip == "" && len(pod.Status.PodIPs) > 0 {
		ip = pod.Status.PodIPs[0].IP
	}
	if !proxyable(net.ParseIP(ip)) {
		return unsimulated{errNotProxyable()}
	}
	return unsimulated{unreachable()}
}

// nodeProxy checks for a node: kubernetes/kubernetes:pkg/registry/core/node/strategy.go, ResourceLocation. The server also
// resolves host names, which is not done here.
func (r Request) nodeProxy() error {
	_, name, _, ok := utilnet.SplitSchemeNamePort(r.Name)
	if !ok {
		return badRequest("invalid node request %q", r.Name)
	}
	host, err := r.kubeletHost(name)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); ip != nil && !proxyable(ip) {
		return unsimulated{errNotProxyable()}
	}
	return unsimulated{unreachable()}
}

// serviceProxy checks for endpoints of a service that have the port:
// kubernetes/kubernetes:pkg/registry/core/service/storage/storage.go, ResourceLocation.
func (r Request) serviceProxy() error {
	_, name, port, ok := utilnet.SplitSchemeNamePort(r.Name)
	if !ok {
		return badRequest("invalid service request %q", r.Name)
	}
	if number, err := strconv.ParseInt(port, 10, 64); err == nil {
		if port, err = r.portName(name, number); err != nil {
			return err
		}
	}
	if r.Release.Has(kubeversion.ProxiesBySlices) {
		return r.reachSlices(name, port)
	}
	endpoints, err := coreObject[*corev1.Endpoints](r, "Endpoints", name)
	if err != nil {
		return err
	}
	if len(endpoints.Subsets) == 0 {
		return noEndpoints(name)
	}
	for _, subset := range endpoints.Subsets {
		for _, p := range subset.Ports {
			if p.Name == port && r.hasPodAddress(subset) {
				return unsimulated{unreachable()}
			}
		}
	}
	return noEndpoints(r.Name)
}

// reachSlices looks for a ready endpoint in the slices of a service.
func (r Request) reachSlices(service, port string) error {
	for o := range r.State.List(schema.GroupKind{Group: discoveryv1.GroupName, Kind: "EndpointSlice"}, r.Namespace) {
		slice, ok := o.Object.(*discoveryv1.EndpointSlice)
		if !ok || slice.Labels[discoveryv1.LabelServiceName] != service {
			continue
		}
		for _, p := range slice.Ports {
			if p.Name != nil && *p.Name == port && p.Port != nil && slices.ContainsFunc(slice.Endpoints, r.reaches) {
				return unsimulated{unreachable()}
			}
		}
	}
	return noEndpoints(service)
}

// reaches reports whether an endpoint is ready and is a pod.
func (r Request) reaches(e discoveryv1.Endpoint) bool {
	ref := e.TargetRef
	if e.Conditions.Ready != nil && !*e.Conditions.Ready || ref == nil || ref.Namespace != r.Namespace || len(e.Addresses) == 0 {
		return false
	}
	pod, err := coreObject[*corev1.Pod](r, "Pod", ref.Name)
	return err == nil && slices.ContainsFunc(pod.Status.PodIPs, func(ip corev1.PodIP) bool { return ip.IP == e.Addresses[0] })
}

// portName returns a service's name for the port with that number.
func (r Request) portName(service string, number int64) (string, error) {
	found, err := coreObject[*corev1.Service](r, "Service", service)
	if err != nil {
		return "", err
	}
	for _, p := range found.Spec.Ports {
		if int64(p.Port) == number {
			return p.Name, nil
		}
	}
	return "", apierrors.NewServiceUnavailable(
		"no service port " + strconv.FormatInt(number, 10) + " found for service " + strconv.Quote(service))
}

// hasPodAddress reports whether one of the addresses belongs to a pod, since the server proxies to no others.
func (r Request) hasPodAddress(subset corev1.EndpointSubset) bool {
	for _, address := range subset.Addresses {
		ref := address.TargetRef
		if !proxyable(net.ParseIP(address.IP)) || ref == nil || ref.Kind != "Pod" || ref.Namespace != r.Namespace {
			continue
		}
		if pod, err := coreObject[*corev1.Pod](r, "Pod", ref.Name); err == nil && pod.Status.PodIP == address.IP {
			return true
		}
	}
	return false
}

// proxyable reports whether the server connects to an address at all: it does not connect to loopback and link-local
// addresses.
func proxyable(ip net.IP) bool {
	return ip != nil && !ip.IsLoopback() && !ip.IsLinkLocalUnicast() && !ip.IsLinkLocalMulticast() && !ip.IsInterfaceLocalMulticast()
}

// noEndpoints returns the error for a service without running pods, which is every service here.
func noEndpoints(service string) error {
	return unsimulated{apierrors.NewServiceUnavailable("no endpoints available for service " + strconv.Quote(service))}
}

func errNotProxyable() error { return badRequest("address not allowed") }
