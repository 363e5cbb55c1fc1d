package objects

import (
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
)

// CustomFields returns the last name of the path of a field of a custom resource, and the fields that its schema has at
// this place; none if the kind is built in, or the schema does not say.
func (t *Types) CustomFields(gvk schema.GroupVersionKind, path string) (name string, fields []string) {
	steps := builtin.Steps(path)
	name = steps[len(steps)-1]
	r, ok := t.served(gvk)
	if !ok || r.CRD == nil {
		return name, nil
	}
	var at *apiextensionsv1.JSONSchemaProps
	for _, v := range r.CRD.Spec.Versions {
		if v.Name == gvk.Version && v.Schema != nil {
			at = v.Schema.OpenAPIV3Schema
		}
	}
	for _, step := range steps[:len(steps)-1] {
		at = below(at, step)
	}
	if at == nil {
		return name, nil
	}
	return name, slices.Sorted(maps.Keys(at.Properties))
}

// below returns the schema of a field, or of the elements for the step []; nil if there is none.
func below(s *apiextensionsv1.JSONSchemaProps, step string) *apiextensionsv1.JSONSchemaProps {
	switch {
	case s == nil:
		return nil
	case step == "[]" && s.Items != nil:
		return s.Items.Schema
	case s.AdditionalProperties != nil:
		return s.AdditionalProperties.Schema
	}
	if field, ok := s.Properties[step]; ok {
		return &field
	}
	return nil
}
