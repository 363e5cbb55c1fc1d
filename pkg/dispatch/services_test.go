package dispatch

import (
	"errors"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/pkg/cluster"
)

func aService(spec corev1.ServiceSpec) *corev1.Service {
	if spec.Ports == nil {
		spec.Ports = []corev1.ServicePort{{Name: "web", Port: 80}, {Name: "hook", Port: 443}}
	}
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "hook"},
		Spec:       spec,
	}
}

func aSlice(name, service, port string, number int32, endpoints ...discoveryv1.Endpoint) *discoveryv1.EndpointSlice {
	return &discoveryv1.EndpointSlice{
		TypeMeta:   metav1.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: service}},
		Endpoints:  endpoints,
		Ports:      []discoveryv1.EndpointPort{{Name: &port, Port: &number}},
	}
}

func endpoint(address string, ready *bool) discoveryv1.Endpoint {
	return discoveryv1.Endpoint{Addresses: []string{address}, Conditions: discoveryv1.EndpointConditions{Ready: ready}}
}

func TestServices(t *testing.T) {
	virtual := corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, ClusterIP: "10.0.0.7"}
	older := &corev1.Endpoints{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Endpoints"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "hook"},
		Subsets: []corev1.EndpointSubset{
			{NotReadyAddresses: []corev1.EndpointAddress{{IP: "10.1.0.1"}}, Ports: []corev1.EndpointPort{{Name: "hook", Port: 9443}}},
			{Addresses: []corev1.EndpointAddress{{IP: "10.1.0.2"}}, Ports: []corev1.EndpointPort{{Name: "web", Port: 8080}, {Name: "hook", Port: 9443}}},
		},
	}
	for name, tt := range map[string]struct {
		given  map[string]string
		state  []runtime.Object // nil: not known
		routes bool             // to endpoints
		port   int32            // 0: the usual port
		want   string
		err    string // of the server
		known  string // why the address is not known
	}{
		"given":              {given: map[string]string{"shop/hook:443": "127.0.0.1:9443"}, want: "127.0.0.1:9443"},
		"given, also known":  {given: map[string]string{"shop/hook:443": "127.0.0.1:9443"}, state: []runtime.Object{aService(virtual)}, want: "127.0.0.1:9443"},
		"another port given": {given: map[string]string{"shop/hook:443": "127.0.0.1:9443"}, port: 8443, known: "the address of service shop/hook:8443 is not known"},
		"not there":          {state: []runtime.Object{}, err: `service "hook" not found`},
		"cluster IP":         {state: []runtime.Object{aService(virtual)}, want: "10.0.0.7:443"},
		"IPv6":               {state: []runtime.Object{aService(corev1.ServiceSpec{ClusterIP: "fd00::7"})}, want: "[fd00::7]:443"},
		"no such port":       {state: []runtime.Object{aService(virtual)}, port: 8443, err: `no service port 8443 found for service "hook"`},
		"headless":           {state: []runtime.Object{aService(corev1.ServiceSpec{ClusterIP: "None"})}, err: `cannot route to service with ClusterIP "None"`},
		"external name":      {state: []runtime.Object{aService(corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "hook.example"})}, want: "hook.example:443"},
		"unknown type":       {state: []runtime.Object{aService(corev1.ServiceSpec{Type: "Odd"})}, err: `unsupported service type "Odd"`},
		"a manifest":         {state: []runtime.Object{aService(corev1.ServiceSpec{})}, known: "service shop/hook:443 has neither endpoints nor a clusterIP"},
		"slice":              {state: []runtime.Object{aService(virtual), aSlice("a", "hook", "hook", 9443, endpoint("10.1.0.1", nil))}, want: "10.1.0.1:9443"},
		"ready ones only": {state: []runtime.Object{aService(virtual),
			aSlice("a", "hook", "hook", 9443, endpoint("10.1.0.1", new(false))),
			aSlice("b", "hook", "hook", 9444, endpoint("10.1.0.2", new(true)))}, want: "10.1.0.2:9444"},
		"none ready":          {state: []runtime.Object{aService(virtual), aSlice("a", "hook", "hook", 9443, endpoint("10.1.0.1", new(false)))}, err: "dial tcp 10.0.0.7:443: connect: connection refused"},
		"no such port behind": {state: []runtime.Object{aService(virtual), aSlice("a", "hook", "web", 8080, endpoint("10.1.0.1", nil))}, err: "dial tcp 10.0.0.7:443: connect: connection refused"},
		"another's slice":     {state: []runtime.Object{aService(virtual), aSlice("a", "other", "hook", 9443, endpoint("10.1.0.1", nil))}, want: "10.0.0.7:443"},
		"slice of a manifest": {state: []runtime.Object{aService(corev1.ServiceSpec{}), aSlice("a", "hook", "hook", 9443, endpoint("127.0.0.1", nil))}, want: "127.0.0.1:9443"},
		"endpoints":           {state: []runtime.Object{aService(virtual), older}, want: "10.1.0.2:9443"},
		"slices before endpoints": {state: []runtime.Object{aService(virtual), older, aSlice("a", "hook", "hook", 9443, endpoint("10.1.0.9", nil))},
			want: "10.1.0.9:9443"},
		"routed":                {routes: true, state: []runtime.Object{aService(virtual), aSlice("a", "hook", "hook", 9443, endpoint("10.1.0.1", nil))}, want: "10.1.0.1:9443"},
		"routed, given":         {routes: true, given: map[string]string{"shop/hook:443": "127.0.0.1:9443"}, state: []runtime.Object{aService(virtual)}, want: "127.0.0.1:9443"},
		"routed, headless":      {routes: true, state: []runtime.Object{aService(corev1.ServiceSpec{ClusterIP: "None"}), older}, want: "10.1.0.2:9443"},
		"routed, none ready":    {routes: true, state: []runtime.Object{aService(virtual), aSlice("a", "hook", "hook", 9443, endpoint("10.1.0.1", new(false)))}, err: `no endpoints available for service "hook"`},
		"routed, no endpoints":  {routes: true, state: []runtime.Object{aService(virtual)}, err: `no endpoints available for service "hook"`},
		"routed, no such port":  {routes: true, state: []runtime.Object{aService(virtual)}, port: 8443, err: `no service port 8443 found for service "hook"`},
		"routed, external name": {routes: true, state: []runtime.Object{aService(corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "hook.example"})}, err: `unsupported service type "ExternalName"`},
	} {
		s := services{given: tt.given, routes: tt.routes}
		if tt.state != nil {
			s.state = cluster.New()
			for _, o := range tt.state {
				s.state = s.state.With(cluster.Object{Object: o})
			}
		}
		ref := &admissionregistrationv1.ServiceReference{Namespace: "shop", Name: "hook"}
		if tt.port != 0 {
			ref.Port = &tt.port
		}
		got, err := s.address(ref)
		if hinted, ok := errors.AsType[*hint.Error](err); ok && strings.Contains(hinted.Hint, "add its Service") != (name == "not there") {
			t.Errorf("%s: hint: %s", name, hinted.Hint)
		}
		wantErr := tt.err
		if unknown := (*NoAnswerError)(nil); errors.As(err, &unknown) {
			if unknown.Reason != tt.known {
				t.Errorf("W-144: %s: not known: %s; want %q", name, unknown.Reason, tt.known)
			}
			continue
		} else if tt.known != "" {
			t.Errorf("W-144: %s: known: %s, %v", name, got, err)
		}
		if got != tt.want || text(err) != wantErr {
			t.Errorf("W-144: %s: %q, error %q; want %q, error %q", name, got, text(err), tt.want, wantErr)
		}
	}
}

func TestAPIServerIsNoWebhook(t *testing.T) {
	_, err := services{state: cluster.New()}.address(&admissionregistrationv1.ServiceReference{Namespace: "default", Name: "kubernetes"})
	want := "service default/kubernetes:443 is the API server itself, which does not run here"
	if unknown := (*NoAnswerError)(nil); !errors.As(err, &unknown) || unknown.Reason != want {
		t.Errorf("W-154: %v, want %s", err, want)
	}
}
