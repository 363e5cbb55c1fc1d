package smallest

import (
	"encoding/json"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestObject(t *testing.T) {
	minimum, items, length := 5.0, int64(2), int64(3)
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Schema: &apiextensionsv1.CustomResourceValidation{
		OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
			Required: []string{"spec", "metadata", "mode", "withDefault", "unknown"},
			Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"spec": {Type: "object", Required: []string{"count", "names", "on"}, Properties: map[string]apiextensionsv1.JSONSchemaProps{
					"count": {Type: "integer", Minimum: &minimum}, "on": {Type: "boolean"}, "left": text,
					"names": {Type: "array", MinItems: &items, Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "string", MinLength: &length}}},
				}},
				"metadata":    {Type: "object"},
				"mode":        {Type: "string", Enum: []apiextensionsv1.JSON{{Raw: []byte(`"Fast"`)}}},
				"withDefault": {Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"a"`)}},
			},
		},
	}}}
	for _, tt := range []struct {
		reason    string
		kind      schema.GroupVersionKind
		namespace string
		crd       *apiextensionsv1.CustomResourceDefinition
		want      string
	}{
		{"a well-known kind", schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, "shop", nil,
			`{"apiVersion":"v1","data":{"key":"value"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"shop"}}`},
		{"an unknown kind", schema.GroupVersionKind{Group: "example.io", Version: "v1", Kind: "A"}, "", nil,
			`{"apiVersion":"example.io/v1","kind":"A","metadata":{"name":"a"}}`},
		{"what a schema requires, as small as possible", schema.GroupVersionKind{Group: "example.io", Version: "v1", Kind: "A"}, "", crd,
			`{"apiVersion":"example.io/v1","kind":"A","metadata":{"name":"a"},"mode":"Fast","spec":{"count":5,"names":["example","example"],"on":false}}`},
		{"another version of it", schema.GroupVersionKind{Group: "example.io", Version: "v2", Kind: "A"}, "", crd,
			`{"apiVersion":"example.io/v2","kind":"A","metadata":{"name":"a"}}`},
	} {
		got, err := json.Marshal(Object(tt.kind, "a", tt.namespace, tt.crd))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != tt.want {
			t.Errorf("%s: Object(%s) = %s, want %s", tt.reason, tt.kind, got, tt.want)
		}
	}
}

func TestValue(t *testing.T) {
	nested := func(levels int, inner string) string {
		for range levels {
			inner = `{"type":"array","minItems":100,"items":` + inner + `}`
		}
		return inner
	}
	for _, tt := range []struct {
		reason, schema string
		want           string // "" if the value lacks something
	}{
		{"a minimum length is kept", `{"type":"string","minLength":9}`, `"exampleee"`},
		{"a maximum length is kept", `{"type":"string","maxLength":3}`, `"exa"`},
		{"no text is that long", `{"type":"string","minLength":4611686018427387904}`, ""},
		{"no text is that short", `{"type":"string","maxLength":-1}`, ""},
		{"a longer repetition is found", `{"type":"string","pattern":"^b*$","minLength":5}`, `"bbbbb"`},
		{"each try is far too long", `{"type":"string","pattern":"^(((((a*b)*c)*d)*e)*f)*$","minLength":1000000}`, ""},
		{"each try is long and matches nothing", `{"type":"string","pattern":"^x((((((()*)*)*)*)*)*)*$","maxLength":0}`, ""},
		{"what others have as a default is not added by the server", `{"type":"object","minProperties":1,"additionalProperties":{"type":"string","default":"a"}}`, `{"example":"example"}`},
		{"the same for a required one", `{"type":"object","required":["a"],"additionalProperties":{"type":"string","default":"a"}}`, `{"a":"example"}`},
		{"fields with a default count", `{"type":"object","minProperties":1,"properties":{"a":{"type":"string","default":"a"},"b":{"type":"string"}}}`, `{}`},
		{"there are not as many fields", `{"type":"object","minProperties":2,"properties":{"a":{"type":"string"}}}`, ""},
		{"there are too many fields", `{"type":"object","minProperties":4611686018427387904,"additionalProperties":{"type":"string"}}`, ""},
		{"there are too many items", `{"type":"array","minItems":4611686018427387904,"items":{"type":"string"}}`, ""},
		{"lists of lists", nested(5, `{"type":"string"}`), ""},
		{"no integer in between", `{"type":"integer","minimum":3,"maximum":2}`, ""},
		{"the bounds of integers are whole", `{"type":"integer","minimum":1.5,"maximum":3}`, ""},
		{"the bounds of a whole number are read without their fractions", `{"type":"number","maximum":1.5,"exclusiveMaximum":true}`, ""},
		{"a large number", `{"type":"number","minimum":1e300}`, `1e+300`},
		{"a step of nearly nothing", `{"type":"number","minimum":5,"multipleOf":1e-320}`, ""},
	} {
		var s apiextensionsv1.JSONSchemaProps
		if err := json.Unmarshal([]byte(tt.schema), &s); err != nil {
			t.Fatal(err)
		}
		m := newMaker()
		got, err := json.Marshal(m.value(&s, 0, 0))
		if err != nil {
			t.Fatalf("%s: %v", tt.reason, err)
		}
		if m.lacks != (tt.want == "") || !m.lacks && string(got) != tt.want {
			t.Errorf("%s: the value of %s is %.100s, lacking something: %t; want %s", tt.reason, tt.schema, got, m.lacks, tt.want)
		}
		if len(got) > 100_000 {
			t.Errorf("%s: the value of %s has %d bytes", tt.reason, tt.schema, len(got))
		}
	}
}
