package variant_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/traffic/traffictest"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/variant"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
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

// names returns the webhooks of a state in the order in which they are called.
func names(s *cluster.State) (all []string) {
	for o := range objects.WebhookConfigurations(s) {
		for _, w := range objects.Webhooks(o.Object) {
			all = append(all, variant.Original(w.Configuration)+"/"+w.Name)
		}
	}
	return all
}

var (
	sidecar = document.Actor{Plugin: whatif.MutatingWebhooks, Configuration: "mesh", Name: "sidecar.mesh.example"}
	team    = document.Actor{Plugin: whatif.MutatingWebhooks, Configuration: "labels", Name: "team.labels.example"}
	guard   = document.Actor{Plugin: whatif.ValidatingWebhooks, Configuration: "guard", Name: "pods.guard.example"}
)

func TestVariants(t *testing.T) {
	state := traffictest.Read(t, traffictest.Mesh+labels).Simulator().State()
	v := variant.AsIs(state)
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
		got := names(one.of.In(state))
		if diff := cmp.Diff(one.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", one.what, diff)
		}
	}
	if diff := cmp.Diff(names(state), names(v.In(state))); diff != "" {
		t.Errorf("a variant in which nothing is changed (-state +variant):\n%s", diff)
	}
}

// Only its rules keep an unselected webhook from a request.
func TestUnselected(t *testing.T) {
	state := traffictest.Read(t, traffictest.Mesh+labels).Simulator().State()
	for o := range objects.WebhookConfigurations(variant.AsIs(state).Unselected(team).In(state)) {
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

// Only one policy decides, for everything that its rules name, whatever else exists.
func TestUnselectedPolicy(t *testing.T) {
	const policies = `
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
	w := traffictest.Read(t, traffictest.Mesh+traffictest.Pod+policies)
	if code := w.Answers(t)[0].Code; code != 201 {
		t.Fatalf("the policy as it is: code %d, want 201", code)
	}
	state, err := variant.UnselectedPolicy(w.Simulator().State(), document.Actor{Configuration: "no-web"})
	if err != nil {
		t.Fatal(err)
	}
	sim, err := w.Simulator().With(state)
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
	if _, err := variant.UnselectedPolicy(state, document.Actor{Configuration: "lost"}); err == nil {
		t.Error("a policy that does not exist has a variant")
	}
}
