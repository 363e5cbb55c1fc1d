package expression_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func jsonPatch(expression string) admissionregistrationv1.Mutation {
	return admissionregistrationv1.Mutation{
		PatchType: admissionregistrationv1.PatchTypeJSONPatch,
		JSONPatch: &admissionregistrationv1.JSONPatch{Expression: expression},
	}
}

func apply(expression string) admissionregistrationv1.Mutation {
	return admissionregistrationv1.Mutation{
		PatchType:          admissionregistrationv1.PatchTypeApplyConfiguration,
		ApplyConfiguration: &admissionregistrationv1.ApplyConfiguration{Expression: expression},
	}
}

func TestMutations(t *testing.T) {
	for _, tt := range []struct {
		reason   string
		mutation admissionregistrationv1.Mutation
		want     string // as JSON
		err      string
	}{
		{"no operations", jsonPatch(`true ? [] : [JSONPatch{}]`), `[]`, ""},
		{"several operations", jsonPatch(`[JSONPatch{op: 'test', path: '/a', value: 1}, JSONPatch{op: 'move', from: '/a', path: '/b'}]`),
			`[{"op":"test","path":"/a","value":1},{"op":"move","path":"/b","from":"/a"}]`, ""},
		{"a missing value is left out", jsonPatch(`[JSONPatch{op: 'add', path: '/a'}]`), `[{"op":"add","path":"/a"}]`, ""},
		{"null is a value", jsonPatch(`[JSONPatch{op: 'add', path: '/a', value: null}]`), `[{"op":"add","path":"/a","value":null}]`, ""},
		{"no operation at all", jsonPatch(`[JSONPatch{path: '/a'}]`), `[{"op":"","path":"/a"}]`, ""},
		{"structures", jsonPatch(`[JSONPatch{op: 'add', path: '/a', value: Object.a{b: [1, 2], c: Object.a.c{d: 'x'}}}]`),
			`[{"op":"add","path":"/a","value":{"b":[1,2],"c":{"d":"x"}}}]`, ""},
		{"maps, of the object too", jsonPatch(`[JSONPatch{op: 'add', path: '/a', value: {'k': object.data}}]`),
			`[{"op":"add","path":"/a","value":{"k":{"a":"1"}}}]`, ""},
		{"large whole numbers", jsonPatch(`[JSONPatch{op: 'add', path: '/a', value: 10000000}]`), `[{"op":"add","path":"/a","value":10000000}]`, ""},
		{"escaped keys", jsonPatch(`[JSONPatch{op: 'add', path: '/a/' + jsonpatch.escapeKey('example.com/x~y'), value: true}]`),
			`[{"op":"add","path":"/a/example.com~1x~0y","value":true}]`, ""},
		{"a name of another type", jsonPatch(`[JSONPatch{op: 'add', path: '/a', value: Object.a{b: Object.x{}}}]`), "",
			`type mismatch: unexpected type name "Object.x", expected "Object.a.b", which matches field name path from root Object type`},

		{"fields", apply(`Object{metadata: Object.metadata{labels: {'new': object.data.a}}}`), `{"metadata":{"labels":{"new":"1"}}}`, ""},
		{"no fields", apply(`Object{}`), `{}`, ""},
		{"lists of structures", apply(`Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c', ports: [1]}]}}`),
			`{"spec":{"containers":[{"name":"c","ports":[1]}]}}`, ""},
		{"optional fields", apply(`Object{?data: object.?none}`), `{}`, ""},
		{"a name of another type", apply(`Object{spec: Object.metadata{}}`), "",
			`type mismatch: unexpected type name "Object.metadata", expected "Object.spec", which matches field name path from root Object type`},

		{"a missing key", apply(`Object{data: {'x': object.data.none}}`), "",
			`expression 'Object{data: {'x': object.data.none}}' resulted in error: no such key: none`},
		{"an expression that does not compile", apply(`true`), "", `must evaluate to Object but got bool`},
		{"too dear", jsonPatch(`[JSONPatch{op: 'add', path: '/a', value: ` + costing(6) + `}]`), "",
			`expression '[JSONPatch{op: 'add', path: '/a', value: ` + costing(6) + `}]' resulted in error: operation cancelled: actual cost limit exceeded`},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			m, err := compiler("1.36").Scope(nil, false).Mutation(tt.mutation)
			if err != nil {
				t.Fatal(err)
			}
			change, err := m.Evaluate(t.Context(), inShop())
			if text(err) != tt.err {
				t.Fatalf("Evaluate(%s) = %v, want %q", m.Expression(), err, tt.err)
			}
			if err != nil {
				return
			}
			got := change.Patch
			if change.Configuration != nil {
				if got, err = json.Marshal(change.Configuration); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("Evaluate(%s) differs:\n%s", m.Expression(), diff)
			}
		})
	}
}

func TestMutationWithoutExpression(t *testing.T) {
	m := jsonPatch("[]")
	m.PatchType = admissionregistrationv1.PatchTypeApplyConfiguration
	if _, err := compiler("1.36").Scope(nil, false).Mutation(m); err == nil {
		t.Error("Mutation() = nil, want an error")
	}
}

// Values that a mutation takes from the object are copied.
func TestMutationsLeaveTheirInput(t *testing.T) {
	in := inShop()
	in.Object = &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"a": "1"}}}
	before := in.Object.DeepCopyObject()
	m, err := compiler("1.36").Scope(nil, false).Mutation(apply(`Object{data: object.data}`))
	if err != nil {
		t.Fatal(err)
	}
	change, err := m.Evaluate(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	change.Configuration["data"].(map[string]any)["a"] = "changed"
	if diff := cmp.Diff(before, in.Object); diff != "" {
		t.Errorf("the object changed:\n%s", diff)
	}
}
