package controllers_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/controllers"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// A repairedCluster is a cluster in which nothing runs but the controller that repairs IPAddresses, on the clock of the test.
type repairedCluster struct {
	liveCluster
	wrote  []string // requests of the controller, with the codes of their answers
	failed []error
}

func repaired(t *testing.T) *repairedCluster {
	t.Helper()
	sim, err := simulator.New(simulator.Options{State: simulator.AssumeControllers(simulator.Bootstrap()), Now: time.Now})
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
		r.wrote = append(r.wrote, fmt.Sprintf("%s %s %d", w.Request.Verb, path, w.Result.Code))
	}
	ctx, cancel := context.WithCancel(t.Context())
	c, err := controllers.Start(ctx, s, controllers.Options{
		Which: []string{"ipallocator-repair-controller"}, Wrote: wrote, Failed: func(err error) { r.failed = append(r.failed, err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); c.Wait() })
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
	wrote := r.wrote
	r.wrote = nil
	return wrote
}

func (r *repairedCluster) want(when string, got []string, want ...string) {
	r.Helper()
	if !slices.Equal(got, want) {
		r.Errorf("%s, the server wrote %q, want %q", when, got, want)
	}
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
		if len(r.failed) != 0 {
			t.Errorf("it failed too early: %v", r.failed)
		}
		r.after(20 * time.Second)
		if len(r.failed) != 1 || !strings.HasSuffix(r.failed[0].Error(), "denied request: not now") {
			t.Errorf("it failed with %v", r.failed)
		}
		r.do(rest.Delete, "admissionregistration.k8s.io/v1 -/validatingadmissionpolicybindings/no", "")
		r.after(time.Minute)
		if is := r.parent("10.0.0.7"); is != "a" {
			t.Errorf("the repaired address is that of %s", is)
		}
	})
}
