// kubernetes/apiextensions-apiserver@v0.15.12:pkg/apiserver/validation/validation.go

package custom

import (
	"maps"
	"slices"

	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	openapierrors "k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A schemaLike validator also checks objects as if they were schemas themselves, like the validator of releases before
// [kubeversion.ObjectsNotSchemas] (ER-08a), which is github.com/go-openapi/validate.
type schemaLike struct {
	schemavalidation.SchemaValidator
	schema  *spec.Schema
	release *kubeversion.Release
}

func (s schemaLike) Validate(value any, options ...schemavalidation.ValidationOption) *validate.Result {
	result := s.SchemaValidator.Validate(value, options...)
	s.check(result, "", s.schema, value, false)
	return result
}

func (s schemaLike) ValidateUpdate(value, old any, options ...schemavalidation.ValidationOption) *validate.Result {
	result := s.SchemaValidator.ValidateUpdate(value, old, options...)
	s.check(result, "", s.schema, value, false)
	return result
}

// check adds errors about the value, and about what is in it as far as the schema describes it. Elements of lists do not
// have a path of their own.
func (s schemaLike) check(result *validate.Result, path string, schema *spec.Schema, value any, element bool) {
	switch value := value.(type) {
	case map[string]any:
		_, hasItems := value["items"]
		kind, hasType := value["type"]
		switch {
		case kind == "array" && !hasItems:
			result.AddErrors(openapierrors.Required("items", path))
		case !hasItems || kind == "array":
		case s.release.Has(kubeversion.ItemsNeedNoType) && !element:
		case hasType:
			result.AddErrors(openapierrors.InvalidType(path, "body", "array", nil))
		default:
			result.AddErrors(openapierrors.Required("type", path))
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			below := key
			if path != "" {
				below = path + "." + key
			}
			if property, ok := schema.Properties[key]; ok {
				s.check(result, below, &property, value[key], element)
			} else if more := schema.AdditionalProperties; more != nil && more.Schema != nil {
				s.check(result, below, more.Schema, value[key], element)
			}
		}
	case []any:
		if schema.Items == nil || schema.Items.Schema == nil {
			return
		}
		for _, v := range value {
			s.check(result, path, schema.Items.Schema, v, true)
		}
	}
}
