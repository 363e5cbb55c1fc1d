// kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/v1/conversion.go

package crd

import (
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
)

// rootSchemas returns the schemas of a CRD for its objects: one for all versions, or one per version.
func rootSchemas(spec *apiextensions.CustomResourceDefinitionSpec) []*apiextensions.JSONSchemaProps {
	var roots []*apiextensions.JSONSchemaProps
	add := func(v *apiextensions.CustomResourceValidation) {
		if v != nil && v.OpenAPIV3Schema != nil {
			roots = append(roots, v.OpenAPIV3Schema)
		}
	}
	add(spec.Validation)
	for i := range spec.Versions {
		add(spec.Versions[i].Schema)
	}
	return roots
}

// anySchema reports whether is holds for a schema of a CRD, or for a schema within it.
func anySchema(spec *apiextensions.CustomResourceDefinitionSpec, is func(*apiextensions.JSONSchemaProps) bool) bool {
	for _, root := range rootSchemas(spec) {
		if hasSchema(root, is) {
			return true
		}
	}
	return false
}

// hasSchema reports whether is holds for a schema, or for a schema within it, including places where the server does
// not allow schemas.
func hasSchema(s *apiextensions.JSONSchemaProps, is func(*apiextensions.JSONSchemaProps) bool) bool {
	if s == nil {
		return false
	}
	if is(s) || hasSchema(s.Not, is) {
		return true
	}
	if s.Items != nil && (hasSchema(s.Items.Schema, is) || inList(s.Items.JSONSchemas, is)) {
		return true
	}
	if s.AdditionalProperties != nil && hasSchema(s.AdditionalProperties.Schema, is) {
		return true
	}
	if s.AdditionalItems != nil && hasSchema(s.AdditionalItems.Schema, is) {
		return true
	}
	for _, d := range s.Dependencies {
		if hasSchema(d.Schema, is) {
			return true
		}
	}
	return inList(s.AllOf, is) || inList(s.AnyOf, is) || inList(s.OneOf, is) ||
		inMap(s.Properties, is) || inMap(s.PatternProperties, is) || inMap(s.Definitions, is)
}

func inList(list []apiextensions.JSONSchemaProps, is func(*apiextensions.JSONSchemaProps) bool) bool {
	for i := range list {
		if hasSchema(&list[i], is) {
			return true
		}
	}
	return false
}

func inMap[M ~map[string]apiextensions.JSONSchemaProps](m M, is func(*apiextensions.JSONSchemaProps) bool) bool {
	for _, s := range m {
		if hasSchema(&s, is) {
			return true
		}
	}
	return false
}

func hasDefault(s *apiextensions.JSONSchemaProps) bool { return s.Default != nil }

// hasExtension reports whether a schema has extensions to OpenAPI.
func hasExtension(s *apiextensions.JSONSchemaProps) bool {
	return s.XEmbeddedResource || s.XPreserveUnknownFields != nil || s.XIntOrString || len(s.XListMapKeys) > 0 || s.XListType != nil || len(s.XValidations) > 0
}

// schemaTypes are the types of OpenAPI.
var schemaTypes = []string{"array", "boolean", "integer", "number", "object", "string"}
