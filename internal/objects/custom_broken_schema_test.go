package objects_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

// The parts of a schema that an object violates are found by the fields that errors name: within lists and maps, if
// names contain dots, and if only the text names the field. What is said within oneOf is not confused with what stands
// next to it.
func TestBrokenSchema(t *testing.T) {
	types := kinds.New(serving(parseCRD(t, `{
		"metadata": {"name": "widgets.crd.example.com"},
		"spec": {
			"group": "crd.example.com", "names": {"plural": "widgets", "kind": "Widget"}, "scope": "Namespaced",
			"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
				"type": "object",
				"properties": {"spec": {
					"type": "object", "required": ["name"],
					"properties": {
						"name": {"type": "string"},
						"replicas": {"type": "integer", "maximum": 3},
						"colour": {"type": "string", "enum": ["red", "green"]},
						"parts": {"type": "array", "minItems": 4, "items": {"type": "object", "properties": {"a.b": {"type": "string", "maxLength": 2}}}},
						"days": {"type": "object", "maxProperties": 1, "additionalProperties": {"type": "string", "format": "date"}},
						"any": {"x-kubernetes-int-or-string": true},
						"one": {"type": "integer", "minimum": 4, "oneOf": [{"minimum": 10}, {"maximum": 2}]}
					}
				}}
			}}}]
		}
	}`)), objects.Options{})
	gvk := schema.GroupVersionKind{Group: "crd.example.com", Version: "v1", Kind: "Widget"}
	obj, _, err := types.Decode([]byte(`{"apiVersion": "crd.example.com/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "n"}, "spec": {
		"replicas": 9, "colour": "blue", "parts": [{"a.b": "xxx"}, {"a.b": "y"}, {"a.b": "zzz"}], "days": {"q.r": "never"}, "any": {}, "one": 3
	}}`), gvk, objects.Strict)
	if err != nil {
		t.Fatal(err)
	}
	w := objects.Write{Resource: schema.GroupVersionResource{Group: gvk.Group, Version: gvk.Version}, Kind: gvk}
	const spec = "spec.versions[0].schema.openAPIV3Schema.properties[spec]"
	want := []*objects.BrokenRule{
		{Path: spec + ".properties[one].oneOf", Rule: `oneOf: [{"minimum":10},{"maximum":2}]`, Fields: []string{"spec.one"}},
		{Path: spec + ".properties[any]", Fields: []string{"spec.any"}},
		{Path: spec + ".properties[colour].enum", Rule: `enum: ["red","green"]`, Fields: []string{"spec.colour"}},
		{Path: spec + ".properties[days].additionalProperties.format", Rule: `format: "date"`, Fields: []string{"spec.days.q.r"}},
		{Path: spec + ".required", Rule: `required: ["name"]`, Fields: []string{"spec.name"}},
		{Path: spec + ".properties[one]", Fields: []string{"spec.one"}},
		{Path: spec + ".properties[one].minimum", Rule: "minimum: 4", Fields: []string{"spec.one"}},
		{Path: spec + ".properties[parts].minItems", Rule: "minItems: 4", Fields: []string{"spec.parts"}},
		{Path: spec + ".properties[parts].items.properties[a.b].maxLength", Rule: "maxLength: 2", Fields: []string{"spec.parts[0].a.b", "spec.parts[2].a.b"}},
		{Path: spec + ".properties[replicas].maximum", Rule: "maximum: 3", Fields: []string{"spec.replicas"}},
	}
	errs := types.Validate(obj, w)
	if diff := cmp.Diff(want, types.BrokenSchema(obj, w, errs), cmpopts.IgnoreUnexported(objects.BrokenRule{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := types.BrokenSchema(obj, w, nil); got != nil {
		t.Errorf("reported without a matching error: %v", got)
	}
}
