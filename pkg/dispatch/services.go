package dispatch

import (
	"fmt"
	"net"
	"slices"
	"strconv"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/pkg/cluster"
)

// services resolves services to addresses.
type services struct {
	given  map[string]string // host:port by namespace/name:port
	state  *cluster.State    // nil: not known
	routes bool              // to endpoints
}

// address returns the host and port to connect to. An error other than a [*NoAnswerError] is one of the server, with
// its message. Each has a hint.
func (s services) address(of *admissionregistrationv1.ServiceReference) (string, error) {
	key := fmt.Sprintf("%s/%s:%d", of.Namespace, of.Name, PortOf(*of))
	if address, ok := s.given[key]; ok {
		return address, nil
	}
	address, err := s.resolve(of, key)
	if err == nil {
		return address, nil
	}
	text := fmt.Sprintf("where does the webhook run? --service %s=HOST:PORT gives its address, and so do services in a document of kind Backends", key)
	if apierrors.IsNotFound(err) {
		text += "; or add its Service to the cluster"
	}
	return "", hint.Add(err, text)
}

// resolve returns the address of a service according to the cluster (W-144:
// kubernetes/kube-aggregator:pkg/apiserver/resolvers.go).
func (s services) resolve(of *admissionregistrationv1.ServiceReference, key string) (string, error) {
	namespace, name, port := of.Namespace, of.Name, PortOf(*of)
	if s.state == nil {
		return "", &NoAnswerError{Reason: "the address of service " + key + " is not known"}
	}
	if key == "default/kubernetes:443" {
		return "", &NoAnswerError{Reason: "service " + key + " is the API server itself, which does not run here"}
	}
	service, ok := cluster.Get[*corev1.Service](s.state, schema.GroupKind{Kind: "Service"}, namespace, name)
	if !ok {
		return "", apierrors.NewNotFound(schema.GroupResource{Resource: "service"}, name)
	}
	spec := service.Spec
	switch {
	case spec.Type == corev1.ServiceTypeExternalName && !s.routes:
		return net.JoinHostPort(spec.ExternalName, strconv.Itoa(int(port))), nil
	case !hasEndpoints(spec.Type):
		return "", fmt.Errorf("unsupported service type %q", spec.Type)
	case spec.ClusterIP == corev1.ClusterIPNone && !s.routes:
		return "", fmt.Errorf("cannot route to service with ClusterIP %q", corev1.ClusterIPNone)
	}
	i := slices.IndexFunc(spec.Ports, func(p corev1.ServicePort) bool { return p.Port == port })
	switch {
	case i < 0:
		return "", apierrors.NewServiceUnavailable(fmt.Sprintf("no service port %d found for service %q", port, name))
	case s.routes:
		if address, _ := s.ready(service, spec.Ports[i]); address != "" {
			return address, nil
		}
		return "", apierrors.NewServiceUnavailable(fmt.Sprintf("no endpoints available for service %q", name))
	}
	return s.endpointOf(service, spec.Ports[i], key)
}

// hasEndpoints reports whether services of a type lead to endpoints. A manifest may leave out the type.
func hasEndpoints(t corev1.ServiceType) bool {
	return t == corev1.ServiceTypeClusterIP || t == corev1.ServiceTypeLoadBalancer || t == corev1.ServiceTypeNodePort || t == ""
}

// virtual returns the address of a service that the cluster knows, as host:port: that of its cluster IP or its external
// name, or of an endpoint if the server routes to endpoints. It is empty if the service is not known or cannot be called.
func (s services) virtual(of *admissionregistrationv1.ServiceReference) string {
	if s.state == nil {
		return ""
	}
	if s.routes {
		address, _ := services{state: s.state, routes: true}.address(of) // whatever is given, the URL has the real one
		return address
	}
	service, ok := cluster.Get[*corev1.Service](s.state, schema.GroupKind{Kind: "Service"}, of.Namespace, of.Name)
	if !ok {
		return ""
	}
	host := service.Spec.ClusterIP
	if service.Spec.Type == corev1.ServiceTypeExternalName {
		host = service.Spec.ExternalName
	} else if !slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == PortOf(*of) }) {
		host = ""
	}
	if host == "" || host == corev1.ClusterIPNone {
		return ""
	}
	return net.JoinHostPort(host, strconv.Itoa(int(PortOf(*of))))
}

// endpointOf does what kube-proxy does with the address of a service: it leads to a ready endpoint, here to the first.
// If the cluster has no endpoints, it has a network of its own.
func (s services) endpointOf(service *corev1.Service, p corev1.ServicePort, key string) (string, error) {
	address, tracked := s.ready(service, p)
	virtual := net.JoinHostPort(service.Spec.ClusterIP, strconv.Itoa(int(p.Port)))
	switch {
	case address != "":
		return address, nil
	case service.Spec.ClusterIP == "":
		return "", &NoAnswerError{Reason: "service " + key + " has neither endpoints nor a clusterIP"}
	case tracked:
		return "", fmt.Errorf("dial tcp %s: connect: connection refused", virtual)
	}
	return virtual, nil
}

// ready returns the first ready endpoint of a service, and whether its endpoints are known.
func (s services) ready(service *corev1.Service, p corev1.ServicePort) (address string, tracked bool) {
	if address, tracked = s.slices(service, p); tracked {
		return address, true
	}
	return s.endpoints(service, p)
}

// slices returns the first ready endpoint in the EndpointSlices of a service, and whether there are any such slices.
func (s services) slices(service *corev1.Service, p corev1.ServicePort) (address string, tracked bool) {
	for o := range s.state.List(schema.GroupKind{Group: discoveryv1.GroupName, Kind: "EndpointSlice"}, service.Namespace) {
		slice, ok := o.Object.(*discoveryv1.EndpointSlice)
		if !ok || slice.Labels[discoveryv1.LabelServiceName] != service.Name {
			continue
		}
		tracked = true
		port := portOfSlice(slice, p.Name)
		if port == 0 {
			continue
		}
		for _, e := range slice.Endpoints {
			if len(e.Addresses) > 0 && (e.Conditions.Ready == nil || *e.Conditions.Ready) {
				return net.JoinHostPort(e.Addresses[0], strconv.Itoa(int(port))), true
			}
		}
	}
	return "", tracked
}

func portOfSlice(slice *discoveryv1.EndpointSlice, name string) int32 {
	for _, p := range slice.Ports {
		if p.Port != nil && (p.Name == nil && name == "" || p.Name != nil && *p.Name == name) {
			return *p.Port
		}
	}
	return 0
}

// endpoints is like slices, for the older kind.
func (s services) endpoints(service *corev1.Service, p corev1.ServicePort) (address string, tracked bool) {
	all, ok := cluster.Get[*corev1.Endpoints](s.state, schema.GroupKind{Kind: "Endpoints"}, service.Namespace, service.Name)
	if !ok {
		return "", false
	}
	for _, subset := range all.Subsets {
		for _, port := range subset.Ports {
			if port.Name == p.Name && len(subset.Addresses) > 0 {
				return net.JoinHostPort(subset.Addresses[0].IP, strconv.Itoa(int(port.Port))), true
			}
		}
	}
	return "", true
}
