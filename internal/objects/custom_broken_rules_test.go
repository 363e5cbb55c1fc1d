package objects_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

// Rules with the same message, or none, are distinguished, and so are the fields that violate each of them.
func TestBrokenRules(t *testing.T) {
	types := kinds.New(serving(parseCRD(t, `{
		"metadata": {"name": "widgets.crd.example.com"},
		"spec": {
			"group": "crd.example.com", "names": {"plural": "widgets", "kind": "Widget"}, "scope": "Namespaced",
			"versions": [{"name": "v1alpha1", "served": true}, {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
				"type": "object",
				"properties": {"spec": {
					"type": "object",
					"x-kubernetes-validations": [
						{"rule": "self.min > 9", "message": "wrong"},
						{"rule": "self.min > 0", "message": "wrong"},
						{"rule": "self.min > 8", "message": "wrong", "reason": "FieldValueDuplicate"},
						{"rule": "self.missing > 8"}
					],
					"properties": {
						"min": {"type": "integer"}, "missing": {"type": "integer"},
						"parts": {"type": "array", "items": {"type": "string", "x-kubernetes-validations": [{"rule": "self != 'bad'"}]}}
					}
				}}
			}}}]
		}
	}`)), objects.Options{})
	gvk := schema.GroupVersionKind{Group: "crd.example.com", Version: "v1", Kind: "Widget"}
	obj, _, err := types.Decode([]byte(`{"apiVersion": "crd.example.com/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "n"}, "spec": {"min": 5, "parts": ["bad", "good", "bad"]}}`), gvk, objects.Strict)
	if err != nil {
		t.Fatal(err)
	}
	w := objects.Write{Resource: schema.GroupVersionResource{Group: gvk.Group, Version: gvk.Version}, Kind: gvk}
	const spec = "spec.versions[1].schema.openAPIV3Schema.properties[spec]"
	want := []*objects.BrokenRule{
		{Path: spec + ".x-kubernetes-validations[0].rule", Rule: "self.min > 9", Message: "wrong", Fields: []string{"spec"}},
		{Path: spec + ".x-kubernetes-validations[2].rule", Rule: "self.min > 8", Message: "wrong", Fields: []string{"spec"}},
		{Path: spec + ".x-kubernetes-validations[3].rule", Rule: "self.missing > 8", Fields: []string{"spec"}, Error: "no such key: missing"},
		{Path: spec + ".properties[parts].items.x-kubernetes-validations[0].rule", Rule: "self != 'bad'", Fields: []string{"spec.parts[0]", "spec.parts[2]"}},
	}
	got := types.BrokenRules(obj, nil, w, types.Validate(obj, w))
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(objects.BrokenRule{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
