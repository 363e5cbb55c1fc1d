package expression_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Warnings name types by their kinds, and are the same each time; text in the expression that looks like such a name
// stays (W-298).
func TestTypeCheck(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "shop.example", Version: "v1", Kind: "Shop"}
	kinds := meta.NewDefaultRESTMapper(nil)
	kinds.Add(kind, meta.RESTScopeNamespace)
	schemas := func(gvk schema.GroupVersionKind) (*spec.Schema, bool) {
		return &spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}, Properties: map[string]spec.Schema{
			"spec": {SchemaProps: spec.SchemaProps{Type: []string{"object"}, Properties: map[string]spec.Schema{"size": *spec.Int64Property()}}},
		}}}, gvk == kind
	}
	for _, tt := range []struct{ expression, want string }{
		{"object.spec.size > 1 && object.metadata.name != 'a'", ""},
		{"object.spec == 'Shop1'", "shop.example/v1, Kind=Shop: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(Shop.spec, string)'\n | object.spec == 'Shop1'\n | ............^\n"},
		{"object.spec.HTTP2 == 1", "shop.example/v1, Kind=Shop: ERROR: <input>:1:12: undefined field 'HTTP2'\n | object.spec.HTTP2 == 1\n | ...........^\n"},
		{"object.spec", ""},
	} {
		p := &admissionregistrationv1.ValidatingAdmissionPolicy{Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			Validations: []admissionregistrationv1.Validation{{Expression: tt.expression}},
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{Rule: admissionregistrationv1.Rule{
					APIGroups: []string{"shop.example"}, APIVersions: []string{"v1"}, Resources: []string{"shops", "missing"},
				}},
			}}},
		}}
		var got []string
		for _, w := range expression.New(kubeversion.Default()).TypeCheck(p, schemas, kinds) {
			got = append(got, w.Warning)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.expression, diff)
		}
	}
	if got := expression.New(kubeversion.Default()).TypeCheck(&admissionregistrationv1.ValidatingAdmissionPolicy{}, schemas, kinds); got != nil {
		t.Errorf("an empty policy: %v", got)
	}
}
