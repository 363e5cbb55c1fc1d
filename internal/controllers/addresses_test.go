package controllers_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/controllers"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// A repairedCluster is a cluster in which nothing runs but the controllers that repair addresses and ports, on the clock of the
// test.
type repairedCluster struct {
	liveCluster

	mutex  sync.Mutex
	wrote  []string // requests of the controllers, with the codes of their answers
	failed []error
}

func repaired(t *testing.T) *repairedCluster {
	return repairedOf(t, kubeversion.Default().Version, kubeversion.Flags{})
}

// repairedOf returns the cluster of a release, with objects that exist before the controller starts.
func repairedOf(t *testing.T, version string, flags kubeversion.Flags, before ...cluster.Object) *repairedCluster {
	t.Helper()
	release, err := kubeversion.Parse(version)
	if err == nil {
		release, err = release.With(flags)
	}
	if err != nil {
		t.Fatal(err)
	}
	started := bootstrap.WithAddress(simulator.AssumeControllers(simulator.BootstrapOf(release)), release, bootstrap.Address{Services: []string{bootstrap.DefaultServiceRange}})
	sim, err := simulator.New(simulator.Options{Release: release, State: bootstrap.WithIPAddresses(started, release).With(before...), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(sim, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &repairedCluster{liveCluster: liveCluster{t, s}}
	wrote := func(w controllers.Write) {
		if w.Request.User.Username != admission.APIServer().Username {
			t.Errorf("%s writes %s", w.Request.User.Username, w.Request.Path())
		}
		path := w.Request.Path()
		if w.Request.Resource.Resource == "events" {
			path = strings.TrimSuffix(path, "/"+w.Request.Name) // which has the time
		}
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.wrote = append(r.wrote, fmt.Sprintf("%s %s %d", w.Request.Verb, path, w.Result.Code))
	}
	failed := func(err error) {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.failed = append(r.failed, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c, err := controllers.Start(ctx, s, controllers.Options{
		Which: []string{"ipallocator-repair-controller", "portallocator-repair-controller"}, Wrote: wrote, Failed: failed,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); c.Wait() })
	synctest.Wait() // until the first round is over
	return r
}

// do sends a request, and waits until the controller has seen what it wrote.
func (r *repairedCluster) do(verb, path, body string) {
	r.Helper()
	r.liveCluster.do(verb, path, body)
	synctest.Wait()
}

// after returns what the controller wrote in the next moments.
func (r *repairedCluster) after(d time.Duration) []string {
	time.Sleep(d)
	synctest.Wait()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	wrote := r.wrote
	r.wrote = nil
	return wrote
}

// failures returns the errors of the controller.
func (r *repairedCluster) failures() []error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Clone(r.failed)
}

func (r *repairedCluster) want(when string, got []string, want ...string) {
	r.Helper()
	if !slices.Equal(got, want) {
		r.Errorf("%s, the server wrote %q, want %q", when, got, want)
	}
}

// events returns the events that are stored.
func (r *repairedCluster) events() (all []*eventsv1.Event) {
	sim := r.Latest()
	for o := range sim.State().List(schema.GroupKind{Kind: "Event"}, "") {
		e, err := sim.View().Types().Convert(o.Object, eventsv1.SchemeGroupVersion.WithKind("Event"))
		if err != nil {
			r.Fatal(err)
		}
		all = append(all, e.(*eventsv1.Event))
	}
	return all
}

func (r *repairedCluster) parent(address string) string {
	a, ok := cluster.Get[*networkingv1.IPAddress](r.Latest().State(), schema.GroupKind{Group: networkingv1.GroupName, Kind: "IPAddress"}, "", address)
	if !ok {
		return "none"
	}
	return a.Spec.ParentRef.Name
}

const (
	addressPath = "networking.k8s.io/v1 -/ipaddresses"
	ownPath     = "/apis/networking.k8s.io/v1/ipaddresses"
	eventPath   = "/apis/events.k8s.io/v1/namespaces/default/events"
)

func service(name, address string) string {
	return fmt.Sprintf(`{"metadata": {"name": %q}, "spec": {"clusterIP": %q, "ports": [{"port": 80}]}}`, name, address)
}

// PL-08g: an address whose IPAddress is deleted is free until the server checks all services again.
func TestLostAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := repaired(t)
		r.do(rest.Create, "v1 default/services", service("a", "10.0.0.7"))
		r.do(rest.Create, "v1 default/services", service("b", "10.0.0.8"))
		r.do(rest.Delete, addressPath+"/10.0.0.7", "")
		r.do(rest.Delete, addressPath+"/10.0.0.8", "")
		r.want("at first", r.after(2*time.Minute))
		r.do(rest.Create, "v1 default/services", service("faster", "10.0.0.7"))
		r.want("after two minutes", r.after(59*time.Second))
		r.want("after three minutes", r.after(2*time.Second), "create "+eventPath+" 201", "create "+ownPath+" 201", "create "+eventPath+" 201")
		if is := r.parent("10.0.0.7"); is != "faster" {
			t.Errorf("the address is that of %s", is)
		}
		if is := r.parent("10.0.0.8"); is != "b" {
			t.Errorf("the repaired address is that of %s", is)
		}
		r.want("later", r.after(3*time.Minute), "patch "+eventPath+" 200")
	})
}

// An IPAddress that no service has is deleted after a minute, and again if that was refused. Those of others stay.
func TestLeakedAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := repaired(t)
		address := func(name, manager string) string {
			return fmt.Sprintf(`{"apiVersion": "networking.k8s.io/v1", "kind": "IPAddress", "metadata": {"name": %q, "labels": {"ipaddress.kubernetes.io/managed-by": %q}},
				"spec": {"parentRef": {"resource": "services", "namespace": "default", "name": "none"}}}`, name, manager)
		}
		r.do(rest.Create, addressPath, address("10.0.0.9", "ipallocator.k8s.io"))
		r.do(rest.Create, addressPath, address("10.0.0.10", "example.com"))
		r.want("in the first minute", r.after(59*time.Second))
		r.want("after a minute", r.after(2*time.Second), "delete "+ownPath+"/10.0.0.9 200", "create "+eventPath+" 201")
		if is := r.parent("10.0.0.10"); is != "none" || !has("IPAddress.networking.k8s.io", "", "10.0.0.10")(r.Latest().State()) {
			t.Error("the IPAddress of somebody else is gone")
		}
	})
}

// If the repair is refused, it is tried again, with pauses that get longer, until the next regular check.
func TestRefusedRepair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := repaired(t)
		r.do(rest.Create, "v1 default/services", service("a", "10.0.0.7"))
		r.do(rest.Delete, addressPath+"/10.0.0.7", "")
		r.do(rest.Create, "admissionregistration.k8s.io/v1 -/validatingadmissionpolicies", `{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "no"},
			"spec": {"matchConstraints": {"resourceRules": [{"apiGroups": ["networking.k8s.io"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["ipaddresses"]}]}, "validations": [{"expression": "false", "message": "not now"}]}}`)
		r.do(rest.Create, "admissionregistration.k8s.io/v1 -/validatingadmissionpolicybindings", `{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "no"}, "spec": {"policyName": "no", "validationActions": ["Deny"]}}`)
		r.want("at first", r.after(3*time.Minute), "create "+ownPath+" 422", "create "+eventPath+" 201")
		r.want("at once", r.after(6*time.Millisecond), "create "+ownPath+" 422", "patch "+eventPath+" 200")
		if got := r.after(2*time.Minute + 30*time.Second); len(got) != 13 {
			t.Errorf("then, the server wrote %q, want 13 requests", got)
		}
		if failed := r.failures(); len(failed) != 0 {
			t.Errorf("it failed too early: %v", failed)
		}
		r.after(20 * time.Second)
		if failed := r.failures(); len(failed) != 1 || !strings.HasSuffix(failed[0].Error(), "denied request: not now") {
			t.Errorf("it failed with %v", failed)
		}
		r.do(rest.Delete, "admissionregistration.k8s.io/v1 -/validatingadmissionpolicybindings/no", "")
		r.after(time.Minute)
		if is := r.parent("10.0.0.7"); is != "a" {
			t.Errorf("the repaired address is that of %s", is)
		}
	})
}

// An event is about an IPAddress in the version in which the server of the release reads it, with all fields of that
// version, in whichever version a client wrote it.
func TestEventVersions(t *testing.T) {
	gate := map[string]bool{"MultiCIDRServiceAllocator": true}
	for _, test := range []struct {
		version, regarding, uid string
		flags                   kubeversion.Flags
	}{
		{"1.28", "networking.k8s.io/v1alpha1", "UID:8a1c,", kubeversion.Flags{FeatureGates: gate, RuntimeConfig: map[string]bool{"networking.k8s.io/v1alpha1": true}}},
		{"1.30", "networking.k8s.io/v1alpha1", "", kubeversion.Flags{FeatureGates: gate, RuntimeConfig: map[string]bool{"networking.k8s.io/v1alpha1": true}}},
		{"1.31", "networking.k8s.io/v1beta1", "", kubeversion.Flags{FeatureGates: gate, RuntimeConfig: map[string]bool{"networking.k8s.io/v1beta1": true}}},
		{"1.33", "networking.k8s.io/v1", "", kubeversion.Flags{}},
	} {
		t.Run(test.version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := repairedOf(t, test.version, test.flags)
				r.do(rest.Create, test.regarding+" -/ipaddresses", fmt.Sprintf(`{"apiVersion": %q, "kind": "IPAddress", "metadata": {"name": "10.0.0.9", "labels": {"ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"}},
					"spec": {"parentRef": {"resource": "pods", "namespace": "default", "name": "p", "uid": "8a1c"}}}`, test.regarding))
				wrote, all := r.after(time.Second), r.events()
				if len(all) != 1 {
					t.Fatalf("%d events; the server wrote %q", len(all), wrote)
				}
				if is := all[0].Regarding; is.APIVersion != test.regarding || is.Kind != "IPAddress" || is.Name != "10.0.0.9" {
					t.Errorf("it is about %+v", is)
				}
				want := "IPAddress 10.0.0.9 appears to have been modified, not referencing a Service &ParentReference{Group:,Resource:pods,Namespace:default,Name:p," + test.uid + "}: cleaning up"
				if all[0].Note != want {
					t.Errorf("it says %q, want %q", all[0].Note, want)
				}
			})
		})
	}
}

// Up to 1.28 the range of services is that of the server, and events name it.
func TestEventsAboutRanges(t *testing.T) {
	at := func(name, ip string) cluster.Object {
		s := &corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
		s.Spec.ClusterIP, s.Spec.ClusterIPs = ip, []string{ip}
		return cluster.Object{Object: s}
	}
	alpha := kubeversion.Flags{FeatureGates: map[string]bool{"MultiCIDRServiceAllocator": true}, RuntimeConfig: map[string]bool{"networking.k8s.io/v1alpha1": true}}
	for _, test := range []struct {
		version string
		want    []string
	}{
		{"1.28", []string{
			"ClusterIPAllocation ClusterIPAlreadyAllocated: Cluster IP [4]:10.0.0.7 was assigned to multiple services; please recreate service",
			"ClusterIPAllocation ClusterIPNotAllocated: Cluster IP [IPv4]: 10.0.0.7 is not allocated; repairing",
			"ClusterIPAllocation ClusterIPOutOfRange: Cluster IP [IPv4]: 10.9.0.7 is not within the configured Service CIDR 10.0.0.0/24; please recreate service",
			"ClusterIPValidation ClusterIPNotValid: Cluster IP fd00::7(IPv6) is of ip family that is no longer configured on cluster; please recreate Service",
		}},
		{"1.29", []string{
			"ClusterIPAllocation ClusterIPAlreadyAllocated: Cluster IP [IPv4]:10.0.0.7 was assigned to multiple services; please recreate service",
			"ClusterIPAllocation ClusterIPNotAllocated: Cluster IP [IPv4]: 10.0.0.7 is not allocated; repairing",
			"ClusterIPAllocation ClusterIPOutOfRange: Cluster IP [IPv4]: 10.9.0.7 is not within any configured Service CIDR; please recreate service",
			"ClusterIPAllocation ClusterIPOutOfRange: Cluster IP [IPv6]: fd00::7 is not within any configured Service CIDR; please recreate service",
		}},
	} {
		t.Run(test.version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := repairedOf(t, test.version, alpha, at("a", "10.0.0.7"), at("b", "10.0.0.7"), at("c", "10.9.0.7"), at("d", "fd00::7"))
				r.after(time.Second)
				var got []string
				for _, e := range r.events() {
					if e.Regarding.Name != "kubernetes" {
						got = append(got, fmt.Sprintf("%s %s: %s", e.Action, e.Reason, e.Note))
					}
				}
				slices.Sort(got)
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// The name of an event is no longer made of an IPv6 address, which no event can be named after.
func TestEventNames(t *testing.T) {
	for version, code := range map[string]int{"1.32": 422, "1.33": 201} {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				flags := kubeversion.Flags{}
				address := addressPath
				if version == "1.32" {
					flags = kubeversion.Flags{FeatureGates: map[string]bool{"MultiCIDRServiceAllocator": true}, RuntimeConfig: map[string]bool{"networking.k8s.io/v1beta1": true}}
					address = "networking.k8s.io/v1beta1 -/ipaddresses"
				}
				r := repairedOf(t, version, flags)
				gv, _, _ := strings.Cut(address, " ")
				r.do(rest.Create, address, fmt.Sprintf(`{"apiVersion": %q, "kind": "IPAddress", "metadata": {"name": "fd00::99", "labels": {"ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"}},
					"spec": {"parentRef": {"resource": "pods", "namespace": "default", "name": "p"}}}`, gv))
				wrote := r.after(time.Second)
				if want := fmt.Sprintf("create %s %d", eventPath, code); len(wrote) == 0 || wrote[len(wrote)-1] != want {
					t.Errorf("the server wrote %q, want %q last", wrote, want)
				}
			})
		})
	}
}

// The first of two events of the same series is about the first address.
func TestEventOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := repaired(t)
		r.do(rest.Create, "networking.k8s.io/v1 -/servicecidrs", `{"apiVersion": "networking.k8s.io/v1", "kind": "ServiceCIDR", "metadata": {"name": "two"}, "spec": {"cidrs": ["10.1.0.0/16", "fd00::/112"]}}`)
		r.do(rest.Create, "v1 default/services", `{"metadata": {"name": "a"}, "spec": {"ipFamilyPolicy": "RequireDualStack", "clusterIPs": ["10.1.0.7", "fd00::7"], "clusterIP": "10.1.0.7", "ports": [{"port": 80}]}}`)
		r.do(rest.Delete, addressPath+"/10.1.0.7", "")
		r.do(rest.Delete, addressPath+"/fd00::7", "")
		r.after(3*time.Minute + time.Second)
		all := r.events()
		if len(all) != 1 || all[0].Note != "Cluster IP [IPv4]: 10.1.0.7 is not allocated; repairing" || all[0].Series == nil || all[0].Series.Count != 2 {
			t.Errorf("events: %v", all)
		}
	})
}

// The count of a series is written when the series begins, every half hour, and when it has ended.
func TestEventCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := repaired(t)
		count := func() int32 {
			t.Helper()
			for _, e := range r.events() {
				if e.Reason == "ClusterIPNotAllocated" && e.Series != nil {
					return e.Series.Count
				}
			}
			return 1
		}
		r.do(rest.Create, "v1 default/services", service("a", "10.0.0.7"))
		again := func(times int) {
			for range times {
				r.do(rest.Delete, addressPath+"/10.0.0.7", "")
				r.after(3 * time.Minute)
			}
		}
		r.after(time.Second)
		again(3)
		if is := count(); is != 2 {
			t.Errorf("after nine minutes, the count is %d, want 2", is)
		}
		again(7)
		if is := count(); is != 9 && is != 10 {
			t.Errorf("after half an hour, the count is %d, want the current one", is)
		}
		again(2)
		r.after(13 * time.Minute)
		if is := count(); is != 12 {
			t.Errorf("after the end, the count is %d, want 12", is)
		}
	})
}
