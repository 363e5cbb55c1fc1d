package bootstrap

import (
	"net/netip"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// An Address is where clients find a server, as set by its flags.
type Address struct {
	Host     string // an IP address; empty: not known, so the service kubernetes has no endpoints
	Port     int
	Services []string // ranges of the addresses of services; empty: not known, so there is no service kubernetes
	Clients  []byte   // the CA certificates for client certificates, in PEM; empty: none
	Now      time.Time
}

// own is the name of the objects that a server creates for itself.
const own = "kubernetes"

// WithAddress returns the cluster with the objects that a server creates for itself when it starts: the service kubernetes,
// its endpoints, the address ranges of services, the APIServices of what it serves, and since when it notes the use of tokens
// in Secrets. It keeps those that exist already. Their UIDs are the same at every start:
// kubernetes/kubernetes:pkg/controlplane/controller/kubernetesservice/controller.go, and defaultservicecidr,
// clusterauthenticationtrust and legacytokentracking next to it.
func WithAddress(state *cluster.State, r *kubeversion.Release, at Address) *cluster.State {
	var all []runtime.Object
	if len(at.Services) > 0 {
		all = append(all, at.service(r))
		if HasServiceCIDRs(r) {
			all = append(all, at.ranges())
		} else {
			state = state.Remembering(rangesMemory, parsedRanges(at.Services, r))
		}
	}
	if at.Host != "" {
		all = append(all, at.endpoints(r))
		if r.Has(kubeversion.EndpointSlices) {
			all = append(all, at.slice())
		}
	}
	if len(at.Clients) > 0 {
		all = append(all, &corev1.ConfigMap{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: at.made(metav1.NamespaceSystem, "extension-apiserver-authentication", nil),
			Data: map[string]string{"client-ca-file": string(at.Clients)},
		})
	}
	if r.Has(kubeversion.LegacyTokensTracked) {
		all = append(all, &corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: at.made(metav1.NamespaceSystem, "kube-apiserver-legacy-service-account-token-tracking", nil),
			Data:       map[string]string{"since": at.Now.UTC().Format(time.DateOnly)},
		})
	}
	for _, s := range at.apiServices(r) {
		all = append(all, s)
	}
	for _, object := range all {
		if _, exists := state.Find(cluster.KeyOf(object)); !exists {
			state = state.With(cluster.Object{Object: object})
		}
	}
	return state
}

// made returns the metadata of an object that the server creates when it starts.
func (at Address) made(namespace, name string, labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: namespace, Name: name, Labels: labels, ResourceVersion: "1", CreationTimestamp: metav1.NewTime(at.Now),
		UID: types.UID(uidsOfAddress + Digits(namespace+"/"+name)),
	}
}

// ranges returns the ServiceCIDR of the server.
func (at Address) ranges() *networkingv1.ServiceCIDR {
	return &networkingv1.ServiceCIDR{
		TypeMeta: metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "ServiceCIDR"}, ObjectMeta: at.made("", own, nil),
		Spec: networkingv1.ServiceCIDRSpec{CIDRs: at.Services},
		Status: networkingv1.ServiceCIDRStatus{Conditions: []metav1.Condition{{
			Type: networkingv1.ServiceCIDRConditionReady, Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(at.Now), Message: "Kubernetes default Service CIDR is ready",
		}}},
	}
}

// service returns the service kubernetes, with the first address of the first range.
func (at Address) service(r *kubeversion.Release) *corev1.Service {
	s := &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: at.made(metav1.NamespaceDefault, own, map[string]string{"component": "apiserver", "provider": "kubernetes"}),
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeClusterIP, SessionAffinity: corev1.ServiceAffinityNone,
			Ports: []corev1.ServicePort{{Name: "https", Protocol: corev1.ProtocolTCP, Port: 443, TargetPort: intstr.FromInt(at.Port)}},
		},
	}
	within, err := netip.ParsePrefix(at.Services[0])
	if err != nil {
		return s
	}
	s.Spec.ClusterIP = within.Masked().Addr().Next().String()
	if r.Has(kubeversion.ServiceFamilies) {
		s.Spec.ClusterIPs = []string{s.Spec.ClusterIP}
	}
	if r.Has(kubeversion.DualStack) {
		s.Spec.IPFamilies, s.Spec.IPFamilyPolicy = []corev1.IPFamily{FamilyOf(within.Addr())}, new(corev1.IPFamilyPolicySingleStack)
	}
	if r.Has(kubeversion.InternalPolicies) {
		s.Spec.InternalTrafficPolicy = new(corev1.ServiceInternalTrafficPolicyCluster)
	}
	return s
}

// endpoints returns the endpoints of the service kubernetes.
func (at Address) endpoints(r *kubeversion.Release) *corev1.Endpoints {
	var labels map[string]string
	if r.Has(kubeversion.EndpointsNotMirrored) {
		labels = map[string]string{discoveryv1.LabelSkipMirror: "true"}
	}
	return &corev1.Endpoints{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Endpoints"},
		ObjectMeta: at.made(metav1.NamespaceDefault, own, labels),
		Subsets: []corev1.EndpointSubset{{
			Addresses: []corev1.EndpointAddress{{IP: at.Host}}, Ports: []corev1.EndpointPort{{Name: "https", Port: int32(at.Port), Protocol: corev1.ProtocolTCP}},
		}},
	}
}

// slice returns the endpoints of the service kubernetes as an EndpointSlice:
// kubernetes/kubernetes:pkg/controlplane/reconcilers/endpointsadapter.go.
func (at Address) slice() *discoveryv1.EndpointSlice {
	s := &discoveryv1.EndpointSlice{
		TypeMeta:    metav1.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"},
		ObjectMeta:  at.made(metav1.NamespaceDefault, own, map[string]string{discoveryv1.LabelServiceName: own}),
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{at.Host}, Conditions: discoveryv1.EndpointConditions{Ready: new(true)}}},
		Ports:       []discoveryv1.EndpointPort{{Name: new("https"), Port: new(int32(at.Port)), Protocol: new(corev1.ProtocolTCP)}},
	}
	s.Generation = 1
	if host, err := netip.ParseAddr(at.Host); err == nil && host.Is6() {
		s.AddressType = discoveryv1.AddressTypeIPv6
	}
	return s
}
