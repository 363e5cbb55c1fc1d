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
)

// An Address is where clients find a server, as set by its flags.
type Address struct {
	Host     string // an IP address
	Port     int
	Services []string // ranges of the addresses of services
	Clients  []byte   // the CA certificates for client certificates, in PEM; empty: none
	Now      time.Time
}

// WithAddress returns the cluster with the objects that a server creates from its address when it starts: the service
// kubernetes, its endpoints, and the address ranges of services. Their UIDs are the same at every start:
// kubernetes/kubernetes:pkg/controlplane/controller/kubernetesservice/controller.go, and defaultservicecidr and
// clusterauthenticationtrust next to it.
func WithAddress(state *cluster.State, at Address) *cluster.State {
	made := func(namespace, name string, labels map[string]string) metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Namespace: namespace, Name: name, Labels: labels, ResourceVersion: "1", CreationTimestamp: metav1.NewTime(at.Now),
			UID: types.UID(uidsOfAddress + Digits(namespace+"/"+name)),
		}
	}
	kind := func(version, kind string) metav1.TypeMeta { return metav1.TypeMeta{APIVersion: version, Kind: kind} }
	https := corev1.ServicePort{Name: "https", Protocol: corev1.ProtocolTCP, Port: 443, TargetPort: intstr.FromInt(at.Port)}
	var addresses []string
	var families []corev1.IPFamily
	for _, text := range at.Services[:1] {
		if within, err := netip.ParsePrefix(text); err == nil {
			addresses, families = []string{within.Masked().Addr().Next().String()}, []corev1.IPFamily{corev1.IPv4Protocol}
			if within.Addr().Is6() {
				families[0] = corev1.IPv6Protocol
			}
		}
	}
	slice := made(metav1.NamespaceDefault, "kubernetes", map[string]string{discoveryv1.LabelServiceName: "kubernetes"})
	slice.Generation = 1
	all := []runtime.Object{
		&networkingv1.ServiceCIDR{
			TypeMeta: kind("networking.k8s.io/v1", "ServiceCIDR"), ObjectMeta: made("", "kubernetes", nil),
			Spec: networkingv1.ServiceCIDRSpec{CIDRs: at.Services},
			Status: networkingv1.ServiceCIDRStatus{Conditions: []metav1.Condition{{
				Type: networkingv1.ServiceCIDRConditionReady, Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(at.Now), Message: "Kubernetes default Service CIDR is ready",
			}}},
		},
		&corev1.Endpoints{
			TypeMeta:   kind("v1", "Endpoints"),
			ObjectMeta: made(metav1.NamespaceDefault, "kubernetes", map[string]string{discoveryv1.LabelSkipMirror: "true"}),
			Subsets: []corev1.EndpointSubset{{
				Addresses: []corev1.EndpointAddress{{IP: at.Host}}, Ports: []corev1.EndpointPort{{Name: "https", Port: int32(at.Port), Protocol: corev1.ProtocolTCP}},
			}},
		},
		&discoveryv1.EndpointSlice{
			TypeMeta:    kind("discovery.k8s.io/v1", "EndpointSlice"),
			ObjectMeta:  slice,
			AddressType: discoveryv1.AddressTypeIPv4,
			Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{at.Host}, Conditions: discoveryv1.EndpointConditions{Ready: new(true)}}},
			Ports:       []discoveryv1.EndpointPort{{Name: new("https"), Port: new(int32(at.Port)), Protocol: new(corev1.ProtocolTCP)}},
		},
	}
	if len(addresses) > 0 {
		all = append(all, &corev1.Service{
			TypeMeta:   kind("v1", "Service"),
			ObjectMeta: made(metav1.NamespaceDefault, "kubernetes", map[string]string{"component": "apiserver", "provider": "kubernetes"}),
			Spec: corev1.ServiceSpec{
				Type: corev1.ServiceTypeClusterIP, ClusterIP: addresses[0], ClusterIPs: addresses, IPFamilies: families, IPFamilyPolicy: new(corev1.IPFamilyPolicySingleStack),
				InternalTrafficPolicy: new(corev1.ServiceInternalTrafficPolicyCluster), SessionAffinity: corev1.ServiceAffinityNone, Ports: []corev1.ServicePort{https},
			},
		})
	}
	if len(at.Clients) > 0 {
		all = append(all, &corev1.ConfigMap{
			TypeMeta: kind("v1", "ConfigMap"), ObjectMeta: made(metav1.NamespaceSystem, "extension-apiserver-authentication", nil),
			Data: map[string]string{"client-ca-file": string(at.Clients)},
		})
	}
	for _, object := range all {
		state = state.With(cluster.Object{Object: object})
	}
	return state
}
