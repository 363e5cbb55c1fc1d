package simulator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
)

// The controller checks each generation of a policy once, and reports what it found.
func TestCheckPolicies(t *testing.T) {
	const unknownField = "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replica'\n | object.spec.replica > 1\n | ...........^\n"
	policy := func(name, expression string, observed int64) *admissionregistrationv1.ValidatingAdmissionPolicy {
		return &admissionregistrationv1.ValidatingAdmissionPolicy{
			TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingAdmissionPolicy"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1, ResourceVersion: "1"},
			Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
				MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
					RuleWithOperations: admissionregistrationv1.RuleWithOperations{
						Operations: []admissionregistrationv1.OperationType{"*"},
						Rule:       admissionregistrationv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
					},
				}}},
				Validations: []admissionregistrationv1.Validation{{Expression: expression}},
			},
			Status: admissionregistrationv1.ValidatingAdmissionPolicyStatus{ObservedGeneration: observed},
		}
	}
	state := Bootstrap()
	for _, p := range []*admissionregistrationv1.ValidatingAdmissionPolicy{
		policy("fine", "object.spec.replicas > 1", 0),
		policy("wrong", "object.spec.replica > 1", 0),
		policy("quantity", "object.spec.template.spec.containers.all(c, has(c.resources.limits))", 0),
		policy("seen", "object.spec.replica > 1", 1),
	} {
		state = state.With(cluster.Object{Object: p})
	}
	sim, err := New(Options{State: state})
	if err != nil {
		t.Fatal(err)
	}
	if sim, err = sim.CheckPolicies(); err != nil {
		t.Fatal(err)
	}
	got := map[string]admissionregistrationv1.ValidatingAdmissionPolicyStatus{}
	for o := range sim.State().List(schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "ValidatingAdmissionPolicy"}, "") {
		p := o.Object.(*admissionregistrationv1.ValidatingAdmissionPolicy)
		got[p.Name] = p.Status
	}
	want := map[string]admissionregistrationv1.ValidatingAdmissionPolicyStatus{
		"fine": {ObservedGeneration: 1, TypeChecking: &admissionregistrationv1.TypeChecking{}},
		"wrong": {ObservedGeneration: 1, TypeChecking: &admissionregistrationv1.TypeChecking{ExpressionWarnings: []admissionregistrationv1.ExpressionWarning{
			{FieldRef: "spec.validations[0].expression", Warning: unknownField},
		}}},
		// The controller's schemas have no type for quantities.
		"quantity": {ObservedGeneration: 1, TypeChecking: &admissionregistrationv1.TypeChecking{ExpressionWarnings: []admissionregistrationv1.ExpressionWarning{
			{FieldRef: "spec.validations[0].expression", Warning: "apps/v1, Kind=Deployment: ERROR: <input>:1:48: undefined field 'limits'\n" +
				" | object.spec.template.spec.containers.all(c, has(c.resources.limits))\n | ...............................................^\n"},
		}}},
		"seen": {ObservedGeneration: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	again, err := sim.CheckPolicies()
	if err != nil || again != sim {
		t.Errorf("a second run changed the cluster (%v)", err)
	}
}
