package differential

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The type check finds the same as the server's, except for the numbers by which the server distinguishes types.
func TestTypeCheckAsServer(t *testing.T) {
	kinds := meta.NewDefaultRESTMapper(nil)
	for i := range 12 {
		kinds.Add(schema.GroupVersionKind{Group: "shop.example", Version: "v1", Kind: fmt.Sprintf("Part%c", 'A'+i)}, meta.RESTScopeNamespace)
	}
	for _, kind := range []schema.GroupVersionKind{
		{Group: "shop.example", Version: "v1", Kind: "Shop"},
		{Group: "shop.example", Version: "v2", Kind: "Shop"},
		{Group: "shop.example", Version: "v1", Kind: "Free"},
		{Group: "shop.example", Version: "v1", Kind: "Secretive"},
	} {
		kinds.Add(kind, meta.RESTScopeNamespace)
	}
	field := map[string]*spec.Schema{"v1": spec.Int64Property(), "v2": spec.StringProperty()}
	preserve := spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}}}
	preserve.AddExtension("x-kubernetes-preserve-unknown-fields", true)
	schemas := func(gvk schema.GroupVersionKind) (*spec.Schema, bool) {
		switch gvk.Kind {
		case "Secretive":
			return nil, false
		case "Free":
			return &preserve, true
		}
		return &spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}, Properties: map[string]spec.Schema{
			"spec": {SchemaProps: spec.SchemaProps{Type: []string{"object"}, Properties: map[string]spec.Schema{"size": *field[gvk.Version]}}},
		}}}, gvk.Group == "shop.example"
	}
	rule := func(groups, versions, resources []string) admissionregistrationv1.NamedRuleWithOperations {
		return admissionregistrationv1.NamedRuleWithOperations{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
			Rule: admissionregistrationv1.Rule{APIGroups: groups, APIVersions: versions, Resources: resources}}}
	}
	group, both := []string{"shop.example"}, []string{"v2", "v1"}
	shops := rule(group, both, []string{"shops"})
	var parts []string
	for i := range 12 {
		parts = append(parts, fmt.Sprintf("part%cs", 'a'+i))
	}
	for name, p := range map[string]admissionregistrationv1.ValidatingAdmissionPolicySpec{
		"two versions, a message": {
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{shops}},
			Validations: []admissionregistrationv1.Validation{
				{Expression: "object.spec.size > 1", MessageExpression: "'too ' + object.spec.size"},
				{Expression: "oldObject.spec == object.metadata && request.nothing == 1"},
				{Expression: "object.spec.size > 1 || true", MessageExpression: "1 +"},
			},
		},
		"params of a kind of the same name, authorizer, namespace": {
			ParamKind:        &admissionregistrationv1.ParamKind{APIVersion: "shop.example/v2", Kind: "Shop"},
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{shops}},
			Validations: []admissionregistrationv1.Validation{
				{Expression: "params.spec == object.spec"},
				{Expression: "params.spec.size == object.spec.size && authorizer.path('/x').check('get').allowed()"},
				{Expression: "namespaceObject.metadata.labels.a == 1 && authorizer.requestResource.check('get').allowed()"},
				{Expression: "params.spec.sizes"},
			},
		},
		"params without a schema": {
			ParamKind:        &admissionregistrationv1.ParamKind{APIVersion: "other.example/v1", Kind: "Shop"},
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{shops}},
			Validations:      []admissionregistrationv1.Validation{{Expression: "params.anything.goes && object.nothing"}},
		},
		"no params": {
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{shops}},
			Validations:      []admissionregistrationv1.Validation{{Expression: "params.anything.goes"}},
		},
		"variables, of which one does not compile": {
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{shops}},
			Variables: []admissionregistrationv1.Variable{
				{Name: "size", Expression: "object.spec.size"}, {Name: "wrong", Expression: "object.spec."},
				{Name: "list", Expression: "[variables.size]"}, {Name: "kept", Expression: "object.spec"},
			},
			Validations: []admissionregistrationv1.Validation{
				{Expression: "variables.size > 1"}, {Expression: "variables.wrong.really"}, {Expression: "variables.list.all(x, x == 'a')"},
				{Expression: "variables.missing"}, {Expression: "variables.kept.nothing"},
			},
		},
		"kinds that say nothing of themselves": {
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{
				rule(group, []string{"v1"}, []string{"secretives", "frees", "missings", "shops/status", "*"})}},
			Validations: []admissionregistrationv1.Validation{{Expression: "object.whatever + 1 == 'a' && object.metadata.name == 1"}},
		},
		"rules with wildcards": {
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{
				rule([]string{"*"}, both, []string{"shops"}), rule(group, []string{"v1", "*"}, []string{"shops"}), rule(group, both, []string{"*"})}},
			Validations: []admissionregistrationv1.Validation{{Expression: "1 + 'a'"}},
		},
		"more kinds than are looked at": {
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{
				rule(group, []string{"v1"}, []string{"frees"}), rule(group, []string{"v1"}, parts), shops}},
			Validations: []admissionregistrationv1.Validation{{Expression: "1 + 'a'"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			policy := &admissionregistrationv1.ValidatingAdmissionPolicy{Spec: p}
			servers := validating.TypeChecker{SchemaResolver: schemaResolver(schemas), RestMapper: kinds}
			want := servers.Check(policy)
			for i := range want {
				want[i].Warning = regexp.MustCompile(`\b(Shop|Free)[0-9]+\b`).ReplaceAllString(want[i].Warning, "$1")
			}
			if diff := cmp.Diff(want, expression.New(kubeversion.Default()).TypeCheck(policy, schemas, kinds)); diff != "" {
				t.Errorf("-server +got:\n%s", diff)
			}
			if len(want) == 0 && name != "rules with wildcards" {
				t.Error("the server finds nothing, so nothing is compared")
			}
		})
	}
}

type schemaResolver func(schema.GroupVersionKind) (*spec.Schema, bool)

func (r schemaResolver) ResolveSchema(gvk schema.GroupVersionKind) (*spec.Schema, error) {
	if s, ok := r(gvk); ok {
		return s, nil
	}
	return nil, resolver.ErrSchemaNotFound
}
