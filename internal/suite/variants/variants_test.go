package variants_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/cases"
	"github.com/admsim/admsim/internal/suite/client"
	"github.com/admsim/admsim/internal/suite/variants"
	"github.com/admsim/admsim/pkg/trace"
)

const suite = `
apiVersion: admsim.dev/v1alpha1
kind: Suite
metadata: {name: orders}
world:
  objects:
  - apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingWebhookConfiguration
    metadata: {name: shop}
    webhooks:
    - name: owner.shop.example
      clientConfig: {service: {name: shop, namespace: shop}}
      rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]
      sideEffects: None
      admissionReviewVersions: [v1]
    - name: price.shop.example
      clientConfig: {service: {name: shop, namespace: shop}}
      rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]
      sideEffects: None
      admissionReviewVersions: [v1]
backends:
- webhook: owner.shop.example
  mock: [{allowed: true}]
- webhook: price.shop.example
  mock: [{when: "object.metadata.name == 'free'", deny: {message: nothing is free}}, {allowed: true}]
cases:
- name: plain
  request: &new {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}}
  expect: {}
- name: also-plain
  request: *new
  expect: {}
- name: own-backend
  request: *new
  override: {backends: [{webhook: owner.shop.example, mock: [{deny: {message: not today}}]}]}
  expect: {allowed: false}
- name: own-object
  request: *new
  override: {objects: [{apiVersion: v1, kind: Namespace, metadata: {name: extra}}]}
  expect: {}
- name: in-trouble
  request: *new
  matrix: {kubernetesVersion: ["1.36", "1.37"], failurePolicy: [Fail, Ignore], fault: [none, timeout], webhook: price.shop.example}
  expect: {}
- name: twice
  steps:
  - request: *new
    expect: {}
  - request: *new
    expect: {}
`

// read returns the worlds of the suite, and its cases by name.
func read(t *testing.T) (*variants.Suite, map[string]*scenario.Case) {
	t.Helper()
	all, err := scenario.LoadSuites("orders_admsim.yaml", scenario.Options{FS: fstest.MapFS{"orders_admsim.yaml": {Data: []byte(suite)}}, Root: "."})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*scenario.Case{}
	for i := range all[0].Cases {
		byName[all[0].Cases[i].Name] = &all[0].Cases[i]
	}
	s := variants.New(t.Context(), &all[0], variants.Options{}, variants.NewCompilers())
	t.Cleanup(s.Close)
	return s, byName
}

// answer runs a case, and returns the code and outcomes of the last request, and whether webhooks met the fault of the
// combination.
func answer(t *testing.T, s *variants.Suite, c *scenario.Case, in cases.Combination) (code int, outcomes map[string]trace.Outcome, faulty bool) {
	t.Helper()
	of := s.Case(c, in)
	v, err := of.Variant()
	if err != nil {
		t.Fatal(err)
	}
	w, fault, err := of.Enter(v)
	if err != nil {
		t.Fatal(err)
	}
	sender := client.New(w, scenario.Defaults{})
	for _, step := range c.Steps {
		_, result, err := sender.Send(t.Context(), step)
		if err != nil {
			t.Fatal(err)
		}
		code, outcomes = result.Code, map[string]trace.Outcome{}
		for _, a := range result.Admissions {
			for _, step := range a.Steps {
				for _, h := range step.Hooks {
					outcomes[h.Name] = h.Outcome
				}
			}
		}
	}
	return code, outcomes, fault != nil && fault.Given()
}

// Cases that find the same world share it; cases that change it or its release have their own. Another backend does not
// make another world.
func TestVariant(t *testing.T) {
	s, byName := read(t)
	world := func(name string, in cases.Combination) *variants.Variant {
		v, err := s.Case(byName[name], in).Variant()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var none cases.Combination
	plain := world("plain", none)
	for _, one := range []struct {
		name string
		in   cases.Combination
		same bool
	}{
		{"plain", none, true},
		{"also-plain", none, true},
		{"own-backend", none, true},
		{"own-object", none, false},
		{"in-trouble", cases.Combination{Fault: "timeout"}, true},
		{"in-trouble", cases.Combination{Release: "1.36"}, false},
		{"in-trouble", cases.Combination{FailurePolicy: "Ignore"}, false},
	} {
		if same := world(one.name, one.in) == plain; same != one.same {
			t.Errorf("%s%s finds the world of the suite: %v, want %v", one.name, one.in, same, one.same)
		}
	}
	if n := len(s.All()); n != 4 {
		t.Errorf("%d worlds were made, want 4", n)
	}
	if world("in-trouble", cases.Combination{Release: "1.36"}).Kubernetes.Version != "1.36" || plain.Kubernetes.Version == "1.36" {
		t.Error("the release differs from that of its world")
	}
}

// A combination changes the failure policy and the answers of the webhook that its matrix names, and of no other.
func TestEnter(t *testing.T) {
	s, byName := read(t)
	for _, one := range []struct {
		name   string
		in     cases.Combination
		code   int
		owner  trace.Outcome
		price  trace.Outcome
		faulty bool
	}{
		{"plain", cases.Combination{}, 201, trace.Allowed, trace.Allowed, false},
		{"own-backend", cases.Combination{}, 400, trace.Denied, trace.Allowed, false},
		{"in-trouble", cases.Combination{FailurePolicy: "Fail", Fault: "none"}, 201, trace.Allowed, trace.Allowed, false},
		{"in-trouble", cases.Combination{FailurePolicy: "Fail", Fault: "timeout"}, 500, trace.Allowed, trace.Failed, true},
		{"in-trouble", cases.Combination{FailurePolicy: "Ignore", Fault: "timeout"}, 201, trace.Allowed, trace.FailedOpen, true},
		{"twice", cases.Combination{}, 409, "", "", false}, // the second request finds what the first one created
	} {
		code, outcomes, faulty := answer(t, s, byName[one.name], one.in)
		if code != one.code || faulty != one.faulty {
			t.Errorf("%s%s: code %d, faulty %v; want %d, %v", one.name, one.in, code, faulty, one.code, one.faulty)
		}
		if one.owner != "" && (outcomes["owner.shop.example"] != one.owner || outcomes["price.shop.example"] != one.price) {
			t.Errorf("%s%s: the webhooks %v, want owner %s and price %s", one.name, one.in, outcomes, one.owner, one.price)
		}
	}
}

// What no case needed is known once all have run.
func TestUnused(t *testing.T) {
	s, byName := read(t)
	unused := func() (all []string) {
		for _, e := range s.Unused(map[scenario.Source]bool{}) {
			all = append(all, e.Message)
		}
		return all
	}
	if _, err := s.Case(byName["plain"], cases.Combination{}).Variant(); err != nil {
		t.Fatal(err)
	}
	want := []string{`the backend of "owner.shop.example" was never asked`, `the backend of "price.shop.example" was never asked`}
	if got := unused(); !cmp.Equal(got, want) {
		t.Errorf("before any request, unused: %q, want %q", got, want)
	}
	answer(t, s, byName["plain"], cases.Combination{})
	if got := unused(); len(got) != 1 || !strings.Contains(got[0], "price.shop.example") {
		t.Errorf("after a request for which the price webhook is called, unused: %q, want its answer for free objects", got)
	}
}

// A world that cannot be made is the error of all cases that find it, and is known without running one.
func TestErr(t *testing.T) {
	s, byName := read(t)
	of := s.Case(byName["in-trouble"], cases.Combination{Release: "9.99"})
	if _, err := of.Variant(); err == nil || !strings.Contains(err.Error(), "9.99") {
		t.Errorf("the error about a release that does not exist: %v", err)
	}
	if err := s.Err(); err == nil {
		t.Error("no world could be made, but there is no error")
	}
	if _, err := s.Case(byName["plain"], cases.Combination{}).Variant(); err != nil {
		t.Fatal(err)
	}
	if err := s.Err(); err != nil {
		t.Errorf("one world could be made, but the error is %v", err)
	}
}
