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
