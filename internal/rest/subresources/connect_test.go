package subresources_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/rest/subresources"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func pod(name, node, ip string, containers ...string) *corev1.Pod {
	p := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"},
		Spec:       corev1.PodSpec{NodeName: node},
		Status:     corev1.PodStatus{PodIP: ip, PodIPs: []corev1.PodIP{{IP: ip}}},
	}
	for _, c := range containers {
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: c})
	}
	return p
}

func node(name string, addresses ...corev1.NodeAddress) *corev1.Node {
	return &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     corev1.NodeStatus{Addresses: addresses},
	}
}

func service(name string) *corev1.Service {
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "http", Port: 80}}},
	}
}

func slice(service, ip, pod string, ready bool) *discoveryv1.EndpointSlice {
	port, number := "http", int32(8080)
	return &discoveryv1.EndpointSlice{
		TypeMeta:   metav1.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"},
		ObjectMeta: metav1.ObjectMeta{Name: service + "-x", Namespace: "shop", Labels: map[string]string{discoveryv1.LabelServiceName: service}},
		Ports:      []discoveryv1.EndpointPort{{Name: &port, Port: &number}},
		Endpoints: []discoveryv1.Endpoint{{
			Addresses: []string{ip}, Conditions: discoveryv1.EndpointConditions{Ready: &ready},
			TargetRef: &corev1.ObjectReference{Kind: "Pod", Namespace: "shop", Name: pod},
		}},
	}
}

const (
	nothing = "error trying to reach service: nothing runs in a simulated cluster"
	upgrade = "Upgrade request required"
)

func TestConnect(t *testing.T) {
	var state []cluster.Object
	for _, o := range []runtime.Object{
		pod("one", "n1", "10.0.0.1", "main"), pod("two", "n1", "10.0.0.2", "main", "side"), pod("placed", "gone", "10.0.0.3", "main"),
		pod("waiting", "", "", "main"), pod("local", "n1", "127.0.0.1", "main"),
		node("n1", corev1.NodeAddress{Type: corev1.NodeExternalIP, Address: "1.2.3.4"}, corev1.NodeAddress{Type: corev1.NodeHostName, Address: "n1.internal"}),
		node("bare"), node("loop", corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}),
		service("web"), slice("web", "10.0.0.1", "one", true), service("down"), slice("down", "10.0.0.2", "two", false),
		service("moved"), slice("moved", "10.9.9.9", "one", true),
	} {
		state = append(state, cluster.Object{Object: o})
	}
	of := func(resource, name string) subresources.Request {
		return subresources.Request{Resource: schema.GroupResource{Resource: resource}, Namespace: "shop", Name: name, State: cluster.New(state...), Release: kubeversion.Default()}
	}
	connect := func(resource, name string, options runtime.Object) error {
		refused, _, err := of(resource, name).Connect(options)
		if err != nil {
			t.Fatal(err)
		}
		return refused
	}
	for _, tt := range []struct {
		reason string
		err    error
		want   string // "" is no error
	}{
		{"the only container", connect("pods", "one", &corev1.PodExecOptions{}), upgrade},
		{"one of two has to be chosen", connect("pods", "two", &corev1.PodExecOptions{}), "a container name must be specified for pod two, choose one of: [main side]"},
		{"the chosen one", connect("pods", "two", &corev1.PodExecOptions{Container: "side"}), upgrade},
		{"no such container", connect("pods", "two", &corev1.PodExecOptions{Container: "x"}), "container x is not valid for pod two"},
		{"no such pod", connect("pods", "none", &corev1.PodExecOptions{}), `pods "none" not found`},
		{"no node yet", connect("pods", "waiting", &corev1.PodPortForwardOptions{}), "pod waiting does not have a host assigned"},
		{"its node is gone", connect("pods", "placed", &corev1.PodPortForwardOptions{}), `pods "gone" not found`},
		{"the log of a pod without a node is empty", of("pods", "waiting").Log(""), ""},
		{"the host name comes before addresses", of("pods", "one").Log(""), "nothing listens at n1.internal:10250: no kubelet runs in a simulated cluster"},

		{"a pod", connect("pods", "one", &corev1.PodProxyOptions{}), nothing},
		{"with a scheme and a port", connect("pods", "https:one:443", &corev1.PodProxyOptions{}), nothing},
		{"an invalid name", connect("pods", "a:b:c:d", &corev1.PodProxyOptions{}), `invalid pod request "a:b:c:d"`},
		{"a pod with an address of the server's own", connect("pods", "local", &corev1.PodProxyOptions{}), "address not allowed"},
		{"a pod without an address", connect("pods", "waiting", &corev1.PodProxyOptions{}), "address not allowed"},
		{"a node", connect("nodes", "n1", &corev1.NodeProxyOptions{}), nothing},
		{"a node without addresses", connect("nodes", "bare", &corev1.NodeProxyOptions{}), "no preferred addresses found; known addresses: []"},
		{"a node with an address of the server's own", connect("nodes", "loop", &corev1.NodeProxyOptions{}), "address not allowed"},

		{"a port by its name", connect("services", "web:http", &corev1.ServiceProxyOptions{}), nothing},
		{"a port by its number", connect("services", "web:80", &corev1.ServiceProxyOptions{}), nothing},
		{"no such port", connect("services", "web:81", &corev1.ServiceProxyOptions{}), `no service port 81 found for service "web"`},
		{"an endpoint that is not ready", connect("services", "down:http", &corev1.ServiceProxyOptions{}), `no endpoints available for service "down"`},
		{"an address that the pod does not have", connect("services", "moved:http", &corev1.ServiceProxyOptions{}), `no endpoints available for service "moved"`},
	} {
		if tt.want == "" && tt.err != nil || tt.want != "" && (tt.err == nil || !strings.Contains(tt.err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.reason, tt.err, tt.want)
		}
	}
}
