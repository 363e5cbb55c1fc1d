package controllers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
)

const coreEventPath = "/api/v1/namespaces/default/events"

// nodePort creates a service, and returns why the server refused it.
func (r *repairedCluster) nodePort(name, address string, port int) (refused string) {
	r.Helper()
	result, err := r.Do(r.Context(), rest.Request{
		Verb: rest.Create, Resource: corev1.SchemeGroupVersion.WithResource("services"), Namespace: "default", User: admission.Administrator(),
		Body: fmt.Appendf(nil, `{"metadata": {"name": %q, "finalizers": ["a.b/c"]}, "spec": {"type": "NodePort", "clusterIP": %q, "ports": [{"port": 80, "nodePort": %d}]}}`, name, address, port),
	})
	if err != nil {
		r.Fatal(err)
	}
	if result.Code == 201 {
		return ""
	}
	return result.Status().Message
}

// texts returns what the events about services say.
func (r *repairedCluster) texts() (all []string) {
	sim := r.Latest()
	for o := range sim.State().List(schema.GroupKind{Kind: "Event"}, "") {
		converted, err := sim.View().Types().Convert(o.Object, corev1.SchemeGroupVersion.WithKind("Event"))
		if err != nil {
			r.Fatal(err)
		}
		if e := converted.(*corev1.Event); e.InvolvedObject.Name != "kubernetes" {
			all = append(all, fmt.Sprintf("%s %s: %s (%d)", e.InvolvedObject.Name, e.Reason, e.Message, e.Count))
		}
	}
	slices.Sort(all)
	return all
}

// PL-21e, PL-21f: what a deleted service has that a finalizer holds is free until the server takes it again.
func TestDeletedServiceHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := repairedOf(t, "1.22", kubeversion.Flags{})
		r.nodePort("a", "10.0.0.7", 30007)
		r.nodePort("b", "10.0.0.8", 30008)
		r.do(rest.Delete, "v1 default/services/a", "")
		r.do(rest.Delete, "v1 default/services/b", "")
		r.after(2 * time.Minute)
		if refused := r.nodePort("faster", "10.0.0.8", 30009); refused != "" {
			t.Errorf("the address is not free: %s", refused)
		}
		r.want("after three minutes", r.after(time.Minute+time.Second),
			"create "+coreEventPath+" 201", "create "+coreEventPath+" 201", "create "+coreEventPath+" 201", "create "+coreEventPath+" 201")
		if refused := r.nodePort("later", "10.0.0.7", 30010); !strings.Contains(refused, "provided IP is already allocated") {
			t.Errorf("the repaired address: %q", refused)
		}
		if refused := r.nodePort("later", "10.0.0.9", 30007); !strings.Contains(refused, "provided port is already allocated") {
			t.Errorf("the repaired port: %q", refused)
		}
		r.want("after six minutes", r.after(3*time.Minute), "patch "+coreEventPath+" 200")
		want := []string{
			"a ClusterIPNotAllocated: Cluster IP [IPv4]:10.0.0.7 is not allocated; repairing (1)",
			"a PortNotAllocated: Port 30007 is not allocated; repairing (1)",
			"b PortNotAllocated: Port 30008 is not allocated; repairing (1)",
			"faster ClusterIPAlreadyAllocated: Cluster IP [IPv4]:10.0.0.8 was assigned to multiple services; please recreate service (2)",
		}
		if diff := cmp.Diff(want, r.texts()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// PL-21f: what no service has is free after the third round.
func TestLeaks(t *testing.T) {
	for version, text := range map[string]string{"1.13": "10.0.0.7", "1.22": "[IPv4]:10.0.0.7"} {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := repairedOf(t, version, kubeversion.Flags{})
				isFree := func(when string, want bool) {
					t.Helper()
					address, port := r.nodePort("other", "10.0.0.7", 30008), r.nodePort("other", "10.0.0.8", 30007)
					if (address == "") != want || want && port == "" { // the first one has the name
						t.Errorf("%s: %q, %q", when, address, port)
					}
				}
				r.nodePort("a", "10.0.0.7", 30007)
				r.do(rest.Delete, "v1 default/services/a", "")
				r.after(3*time.Minute + time.Second)
				r.do(rest.Patch, "v1 default/services/a", `{"metadata": {"finalizers": null}}`)
				isFree("at first", false)
				r.after(6 * time.Minute)
				isFree("after the second round", false)
				r.after(3 * time.Minute)
				isFree("after the third round", true)
				if texts := r.texts(); len(texts) != 2 || !strings.Contains(texts[0], "Cluster IP "+text+" is not") {
					t.Errorf("events: %q", texts)
				}
			})
		})
	}
}

// PL-21f: the server reports what is wrong with services every three minutes, in all releases.
func TestEventsAboutAllocators(t *testing.T) {
	service := func(name, ip string, ports ...corev1.ServicePort) cluster.Object {
		s := &corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: "u1"}}
		s.Spec.ClusterIP, s.Spec.ClusterIPs, s.Spec.Ports, s.Spec.Type = ip, []string{ip}, ports, corev1.ServiceTypeNodePort
		return cluster.Object{Object: s}
	}
	port := func(n int32, protocol corev1.Protocol) corev1.ServicePort {
		return corev1.ServicePort{Name: strings.ToLower(string(protocol)), Port: 80, TargetPort: intstr.FromInt32(80), NodePort: n, Protocol: protocol}
	}
	for _, test := range []struct {
		version string
		want    []string
	}{
		{"1.18", []string{
			"b ClusterIPAlreadyAllocated: Cluster IP 10.0.0.7 was assigned to multiple services; please recreate service (27)",
			"c ClusterIPOutOfRange: Cluster IP 10.9.0.7 is not within the service CIDR 10.0.0.0/24; please recreate service (27)",
			"c PortOutOfRange: Port 80 is not within the port range 30000-32767; please recreate service (27)",
			"d ClusterIPOutOfRange: Cluster IP fd00::7 is not within the service CIDR 10.0.0.0/24; please recreate service (27)",
			"d PortAlreadyAllocated: Port 30007 was assigned to multiple services; please recreate service (27)",
			"e ClusterIPOutOfRange: Cluster IP 10.0.0.255 is not within the service CIDR 10.0.0.0/24; please recreate service (27)",
		}},
		{"1.24", []string{
			"b ClusterIPAlreadyAllocated: Cluster IP [IPv4]:10.0.0.7 was assigned to multiple services; please recreate service (27)",
			"c ClusterIPOutOfRange: Cluster IP [IPv4]:10.9.0.7 is not within the service CIDR 10.0.0.0/24; please recreate service (27)",
			"c PortOutOfRange: Port 80 is not within the port range 30000-32767; please recreate service (27)",
			"d ClusterIPNotValid: Cluster IP fd00::7(IPv6) is of ip family that is no longer configured on cluster; please recreate service (27)",
			"e ClusterIPOutOfRange: Cluster IP [IPv4]:10.0.0.255 is not within the service CIDR 10.0.0.0/24; please recreate service (27)",
		}},
		{"1.30", []string{
			"b ClusterIPAlreadyAllocated: Cluster IP [IPv4]:10.0.0.7 was assigned to multiple services; please recreate service (0)",
			"c ClusterIPOutOfRange: Cluster IP [IPv4]:10.9.0.7 is not within the service CIDR 10.0.0.0/24; please recreate service (0)",
			"c PortOutOfRange: Port 80 is not within the port range 30000-32767; please recreate service (0)",
			"d ClusterIPNotValid: Cluster IP fd00::7(IPv6) is of ip family that is no longer configured on cluster; please recreate service (0)",
			"e ClusterIPOutOfRange: Cluster IP [IPv4]:10.0.0.255 is not within the service CIDR 10.0.0.0/24; please recreate service (0)",
		}},
	} {
		t.Run(test.version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := repairedOf(t, test.version, kubeversion.Flags{},
					service("a", "10.0.0.7"), service("b", "10.0.0.7"), service("c", "10.9.0.7", port(80, "TCP")), service("e", "10.0.0.255"), service("d", "fd00::7", port(30007, "TCP"), port(30007, "UDP")))
				r.after(79 * time.Minute)
				if diff := cmp.Diff(test.want, r.texts()); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// PL-21f: what two services have is free once one of them is gone, until the server takes it again for the other.
func TestTakenTwice(t *testing.T) {
	both := func(name string) cluster.Object {
		s := &corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
		s.Spec.ClusterIP, s.Spec.ClusterIPs, s.Spec.Type = "10.0.0.7", []string{"10.0.0.7"}, corev1.ServiceTypeNodePort
		s.Spec.Ports = []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(80), NodePort: 30007, Protocol: corev1.ProtocolTCP}}
		return cluster.Object{Object: s}
	}
	synctest.Test(t, func(t *testing.T) {
		r := repairedOf(t, "1.30", kubeversion.Flags{}, both("a"), both("b"))
		r.after(time.Second)
		if refused := r.nodePort("c", "10.0.0.7", 30007); !strings.Contains(refused, "provided IP is already allocated") {
			t.Errorf("at first: %q", refused)
		}
		r.do(rest.Delete, "v1 default/services/a", "")
		r.after(3*time.Minute + time.Second)
		if refused := r.nodePort("c", "10.0.0.7", 30007); !strings.Contains(refused, "provided IP is already allocated") {
			t.Errorf("after three minutes: %q", refused)
		}
		want := []string{
			"b ClusterIPAlreadyAllocated: Cluster IP [IPv4]:10.0.0.7 was assigned to multiple services; please recreate service (0)",
			"b ClusterIPNotAllocated: Cluster IP [IPv4]:10.0.0.7 is not allocated; repairing (0)",
			"b PortAlreadyAllocated: Port 30007 was assigned to multiple services; please recreate service (0)",
			"b PortNotAllocated: Port 30007 is not allocated; repairing (0)",
		}
		if diff := cmp.Diff(want, r.texts()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// Up to 1.24, events about one object are written every five minutes once there were many of them.
func TestEventBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := repairedOf(t, "1.22", kubeversion.Flags{})
		r.nodePort("a", "10.0.0.7", 30007)
		r.do(rest.Delete, "v1 default/services/a", "")
		r.nodePort("b", "10.0.0.7", 30008)
		r.after(4 * time.Hour)
		if n := len(r.after(time.Hour)); n != 12 {
			t.Errorf("the server wrote %d events in an hour, want 12", n)
		}
	})
}

// Up to 1.24, the tenth event that differs from others in nothing but its message is combined with those that follow, until
// there was none for ten minutes.
func TestEventsCombined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := repairedOf(t, "1.22", kubeversion.Flags{})
		withPorts := func(first int) string {
			ports := []string{fmt.Sprintf(`{"name": "first", "port": 80, "nodePort": %d}`, first)}
			for n := 30001; n <= 30010; n++ {
				ports = append(ports, fmt.Sprintf(`{"name": "p%d", "port": %d, "nodePort": %d}`, n, n, n))
			}
			return fmt.Sprintf(`{"metadata": {"name": "a", "finalizers": ["a.b/c"]}, "spec": {"type": "NodePort", "clusterIP": "10.0.0.7", "ports": [%s]}}`, strings.Join(ports, ", "))
		}
		repair := func() (counts map[string]string) {
			r.do(rest.Delete, "v1 default/services/a", "")
			r.after(3*time.Minute + time.Second)
			counts = map[string]string{}
			for _, text := range r.texts() {
				if port, ok := strings.CutPrefix(text, "a PortNotAllocated: "); ok {
					message, count, _ := strings.Cut(port, " is not allocated; repairing ")
					counts[message] = count
				}
			}
			return counts
		}
		want := map[string]string{"(combined from similar events): Port 30010": "(2)"}
		for n := 30000; n <= 30008; n++ {
			want[fmt.Sprintf("Port %d", n)] = "(1)"
		}
		r.do(rest.Create, "v1 default/services", withPorts(30000))
		if diff := cmp.Diff(want, repair()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		r.after(10 * time.Minute)
		r.do(rest.Patch, "v1 default/services/a", withPorts(30011))
		want["(combined from similar events): Port 30010"], want["Port 30011"] = "(4)", "(1)"
		for n := 30001; n <= 30008; n++ {
			want[fmt.Sprintf("Port %d", n)] = "(2)"
		}
		if diff := cmp.Diff(want, repair()); diff != "" {
			t.Errorf("events after ten minutes (-want +got):\n%s", diff)
		}
	})
}
