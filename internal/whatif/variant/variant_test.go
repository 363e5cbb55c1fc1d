package variant_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/splitmix"
	"github.com/admsim/admsim/internal/traffic/traffictest"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/variant"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
)

// A second mutating configuration beside that of the mesh, whose webhook has selectors.
const labels = `
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: labels}
webhooks:
- name: team.labels.example
  clientConfig: {service: {name: labels, namespace: labels}}
  rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]
  namespaceSelector: {matchLabels: {team: a}}
  objectSelector: {matchLabels: {app: web}}
  matchConditions: [{name: named, expression: "object.metadata.name == 'web'"}]
  sideEffects: None
  admissionReviewVersions: [v1]
`

// names returns the webhooks of a cluster in the order in which they are called.
func names(sim *simulator.Simulator) (all []string) {
	for o := range sim.WebhookConfigurations() {
		for _, w := range objects.Webhooks(o.Object) {
			all = append(all, variant.Original(w.Configuration)+"/"+w.Name)
		}
	}
	return all
}

func in(t *testing.T, v variant.Variant, sim *simulator.Simulator) *simulator.Simulator {
	t.Helper()
	sim, err := v.In(sim)
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

func withoutPolicies(t *testing.T, sim *simulator.Simulator) *simulator.Simulator {
	t.Helper()
	sim, err := variant.WithoutPolicies(sim)
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

var (
	sidecar = document.Actor{Plugin: document.MutatingWebhooks, Configuration: "mesh", Name: "sidecar.mesh.example"}
	team    = document.Actor{Plugin: document.MutatingWebhooks, Configuration: "labels", Name: "team.labels.example"}
	guard   = document.Actor{Plugin: document.ValidatingWebhooks, Configuration: "guard", Name: "pods.guard.example"}
)

func TestVariants(t *testing.T) {
	sim := traffictest.Read(t, traffictest.Mesh+labels).Simulator()
	v := variant.AsIs(sim)
	const mesh, labels, pods = "mesh/sidecar.mesh.example", "labels/team.labels.example", "guard/pods.guard.example"
	for _, one := range []struct {
		what string
		of   variant.Variant
		want []string
	}{
		{"as it is", v, []string{labels, mesh, pods}},
		{"without the sidecar", v.Without(sidecar), []string{labels, pods}},
		{"without a validating webhook, which it takes for no mutating one", v.Without(guard), []string{labels, mesh, pods}},
		{"the other way round", v.Only(sidecar, team), []string{mesh, labels}},
		{"one alone", v.Only(team), []string{labels}},
		{"mutating ones", v.IfNeeded(), []string{labels, mesh}},
		{"unselected", v.Unselected(team, guard), []string{labels, pods}},
	} {
		got := names(in(t, one.of, sim))
		if diff := cmp.Diff(one.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", one.what, diff)
		}
	}
	if diff := cmp.Diff(names(sim), names(in(t, v, sim))); diff != "" {
		t.Errorf("a variant in which nothing is changed (-cluster +variant):\n%s", diff)
	}
}

// Only its rules keep an unselected webhook from a request.
func TestUnselected(t *testing.T) {
	sim := traffictest.Read(t, traffictest.Mesh+labels).Simulator()
	for o := range in(t, variant.AsIs(sim).Unselected(team), sim).WebhookConfigurations() {
		for _, w := range objects.Webhooks(o.Object) {
			if len(w.NamespaceSelector.MatchLabels)+len(w.ObjectSelector.MatchLabels)+len(w.MatchConditions) > 0 {
				t.Errorf("%s selects: %v, %v, %v", w.Name, w.NamespaceSelector, w.ObjectSelector, w.MatchConditions)
			}
			if len(w.Rules) != 1 {
				t.Errorf("%s has %d rules, want 1", w.Name, len(w.Rules))
			}
		}
	}
}

// twoPolicies are two mutating policies, one with two bindings.
const twoPolicies = `
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: finds}
spec:
  matchConstraints: {resourceRules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]}
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{metadata: Object.metadata{annotations: {'labels': has(object.metadata.labels) ? 'some' : 'none'}}}"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: names}
spec:
  matchConstraints: {resourceRules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]}
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'name': object.metadata.name}}}"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: finds}
spec: {policyName: finds}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: again}
spec: {policyName: finds}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: names}
spec: {policyName: names}
`

// Policies are applied in the order of a variant, each under the binding that is named, before all webhooks.
func TestPolicies(t *testing.T) {
	w := traffictest.Read(t, traffictest.Mesh+traffictest.Pod+twoPolicies)
	sim, request := w.Simulator(), w.Answers(t)[0].Admissions[0].Request
	v := variant.AsIs(sim)
	finds := document.Actor{Plugin: document.MutatingPolicies, Configuration: "finds", Name: "finds"}
	again := document.Actor{Plugin: document.MutatingPolicies, Configuration: "finds", Name: "again"}
	naming := document.Actor{Plugin: document.MutatingPolicies, Configuration: "names", Name: "names"}
	for _, one := range []struct {
		what   string
		of     variant.Variant
		labels string // that the policy found
		want   []string
	}{
		{"as it is", v, "none", []string{"finds/again", "finds/finds", "names/names"}},
		{"the other way round", v.Only(naming, finds), "some", []string{"names/names", "finds/finds"}},
		{"one alone", v.Only(again), "none", []string{"finds/again"}},
		{"without the last", v.Without(naming), "none", []string{"finds/again", "finds/finds"}},
		{"a webhook alone", v.Only(sidecar), "", nil},
		{"an unselected webhook, which comes after policies", v.Unselected(sidecar), "none", []string{"finds/again", "finds/finds", "names/names"}},
		{"an unselected validating webhook", v.Unselected(guard), "", nil},
	} {
		result, err := in(t, one.of, sim).Admit(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for step, h := range whatif.Hooks(result) {
			if step.Plugin == document.MutatingPolicies && step.Round == 0 {
				got = append(got, variant.Original(h.Configuration)+"/"+h.Name)
			}
		}
		if diff := cmp.Diff(one.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", one.what, diff)
		}
		m, err := meta.Accessor(result.Admissions[0].Object)
		if err != nil {
			t.Fatal(err)
		}
		if m.GetAnnotations()["labels"] != one.labels {
			t.Errorf("%s: found %q labels, want %q", one.what, m.GetAnnotations()["labels"], one.labels)
		}
	}
	for _, one := range []struct {
		order []document.Actor
		want  bool
	}{
		{[]document.Actor{naming, finds, again, sidecar}, true},
		{[]document.Actor{again, finds, naming}, true},
		{[]document.Actor{finds, naming, again}, false}, // the bindings of a policy follow each other
		{[]document.Actor{sidecar, naming}, false},
	} {
		if got := v.Possible(one.order); got != one.want {
			t.Errorf("Possible(%v) = %v, want %v", one.order, got, one.want)
		}
	}
	for o := range in(t, v.IfNeeded(), sim).State().List(schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "MutatingAdmissionPolicy"}, "") {
		if p := o.Object.(*admissionregistrationv1.MutatingAdmissionPolicy); p.Spec.ReinvocationPolicy != admissionregistrationv1.IfNeededReinvocationPolicy {
			t.Errorf("the reinvocationPolicy of %s is %s", p.Name, p.Spec.ReinvocationPolicy)
		}
	}
}

// The backends of a variant are found under the names that the user knows.
func TestOriginally(t *testing.T) {
	for made, original := range map[string]string{
		"admsim-00003.mesh": "mesh", "admsim-00000.a.b": "a.b", "mesh": "mesh", "admsim-3.mesh": "admsim-3.mesh", "admsim-": "admsim-",
	} {
		asked := ""
		variant.Originally(func(configuration, _ string) dispatch.Backend {
			asked = configuration
			return nil
		})(made, "w")
		if asked != original || variant.Original(made) != original {
			t.Errorf("the backend of %s is that of %q, want %q", made, asked, original)
		}
	}
}

// noWeb is a policy against pods named web that never applies, and its binding.
const noWeb = `
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-web}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {team: a}}
    resourceRules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]
  matchConditions: [{name: never, expression: "false"}]
  validations: [{expression: "object.metadata.name != 'web'"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: audited}
spec: {policyName: no-web, validationActions: [Audit]}
`

// Only one policy decides, for everything that its rules name, whatever else exists.
func TestUnselectedPolicy(t *testing.T) {
	w := traffictest.Read(t, traffictest.Mesh+traffictest.Pod+noWeb)
	if code := w.Answers(t)[0].Code; code != 201 {
		t.Fatalf("the policy as it is: code %d, want 201", code)
	}
	without := withoutPolicies(t, w.Simulator())
	sim, err := variant.UnselectedPolicy(w.Simulator(), document.Actor{Configuration: "no-web"}, without)
	if err != nil {
		t.Fatal(err)
	}
	request := w.Answers(t)[0].Admissions[0].Request
	result, err := sim.Admit(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	if result.Code != 422 {
		t.Errorf("the policy unselected: code %d, want 422", result.Code)
	}
	if _, err := variant.UnselectedPolicy(sim, document.Actor{Configuration: "lost"}, without); err == nil {
		t.Error("a policy that does not exist has a variant")
	}
}

// Webhooks of static manifests are part of a variant, and are called first in all of them. Their policies can be tried
// as others can.
func TestStatic(t *testing.T) {
	w := traffictest.Read(t, traffictest.Mesh+labels+`
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: zone}
webhooks:
- name: cloud.zone.example
  clientConfig: {url: "https://127.0.0.1:8443/"}
  rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]
  sideEffects: None
  admissionReviewVersions: [v1]
`+noWeb)
	sim := static(t, w.Simulator(), "zone", "no-web", "audited")
	zone := document.Actor{Plugin: document.MutatingWebhooks, Configuration: "zone", Name: "cloud.zone.example"}
	const first, mesh, labels = "zone/cloud.zone.example", "mesh/sidecar.mesh.example", "labels/team.labels.example"
	v := variant.AsIs(sim)
	for _, one := range []struct {
		what string
		of   variant.Variant
		want []string
	}{
		{"static and others", v.Only(zone, sidecar), []string{first, mesh}},
		{"the other way round", v.Only(sidecar, zone), []string{first, mesh}},
		{"without the static one", v.Only(sidecar), []string{mesh}},
		{"mutating ones", v.IfNeeded(), []string{first, labels, mesh}},
	} {
		got := names(in(t, one.of, sim))
		if diff := cmp.Diff(one.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", one.what, diff)
		}
	}
	if !v.Possible([]document.Actor{zone, sidecar, team}) || v.Possible([]document.Actor{sidecar, zone}) {
		t.Error("a server may only call static webhooks first")
	}
	bare := in(t, variant.Variant{}, sim)
	alone, err := variant.UnselectedPolicy(bare, document.Actor{Configuration: "no-web"}, withoutPolicies(t, bare))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(alone.Static()); got != 2 {
		t.Errorf("%d static objects are left, want the policy and its binding", got)
	}
	for what, one := range map[string]*simulator.Simulator{"as it is": sim, "unselected": alone} {
		want := 200
		if one == alone {
			want = 422
		}
		result, err := one.Admit(t.Context(), traffictest.Read(t, traffictest.Mesh+traffictest.Pod).Answers(t)[0].Admissions[0].Request)
		if err != nil {
			t.Fatal(err)
		}
		if result.Code != want {
			t.Errorf("the static policy %s: code %d, want %d", what, result.Code, want)
		}
	}
}

// static moves objects of a cluster to static manifests.
func static(t *testing.T, sim *simulator.Simulator, names ...string) *simulator.Simulator {
	t.Helper()
	state, moved := sim.State(), []cluster.Object(nil)
	for o := range state.All() {
		if key := cluster.KeyOf(o.Object); key.Group == "admissionregistration.k8s.io" && slices.Contains(names, key.Name) {
			state, moved = state.Without(key), append(moved, o)
		}
	}
	sim, err := sim.With(state)
	if err == nil {
		sim, err = sim.WithStatic(moved)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

// Only the orders that a server may use are tried: all of them if they are few, and else as many as asked for. None is
// tried twice.
func TestOrders(t *testing.T) {
	sim := traffictest.Read(t, traffictest.Mesh+labels+twoPolicies).Simulator()
	v := variant.AsIs(sim)
	result := traffictest.Read(t, traffictest.Mesh+labels+twoPolicies+traffictest.Pod).Answers(t)[0]
	var mutators []document.Actor
	for step, h := range whatif.Hooks(result) {
		if (step.Plugin == document.MutatingWebhooks || step.Plugin == document.MutatingPolicies) && step.Round == 0 {
			mutators = append(mutators, whatif.Actor(step, h))
		}
	}
	const all = 2 * 2 * 2 // two policies, the bindings of one of them, two webhooks
	for _, most := range []int{all, all - 1, 2} {
		random := splitmix.New(1)
		orders, drawn := v.Orders(mutators, most, func(n int) int { return int(random.Uint64() % uint64(n)) })
		seen := map[string]bool{fmt.Sprint(mutators): true}
		for _, order := range orders {
			if len(order) != len(mutators) || !v.Possible(order) {
				t.Fatalf("%v is no order of %v that a server may use", order, mutators)
			}
			seen[fmt.Sprint(order)] = true
		}
		want := most
		if most == all {
			want-- // the usual one
		}
		if len(orders) != want || len(seen) != want+1 || drawn != (most < all) {
			t.Errorf("at most %d: %d orders, %d of them different, drawn: %v; want %d", most, len(orders), len(seen)-1, drawn, want)
		}
	}
}
