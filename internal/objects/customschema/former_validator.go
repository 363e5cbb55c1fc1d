// kubernetes/kube-openapi:pkg/validation/validate/object_validator.go

package customschema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	openapierrors "k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A formerValidator checks values against a schema in the way of releases before [kubeversion.SizesNotAlone] (ER-08b). None
// of them tolerates what the old object had.
//
// It walks through lists, objects and the branches of a schema itself, because today's validator has no options for what
// differs there. What a schema says about one value alone is left to today's validator. Before 1.20 the server's validator
// is github.com/go-openapi/validate, of which that of kube-openapi is a copy.
type formerValidator struct {
	schema    *spec.Schema
	release   *kubeversion.Release
	ofDefault bool // the values are defaults
}

func (f formerValidator) Validate(value any, _ ...schemavalidation.ValidationOption) *validate.Result {
	walk := formerWalk{release: f.release, ofDefault: f.ofDefault}
	result := walk.check(f.schema, value, formerPlace{})
	if walk.panics {
		result = &validate.Result{Errors: []error{admission.ErrPanicked}}
	}
	return result
}

func (f formerValidator) ValidateUpdate(value, _ any, options ...schemavalidation.ValidationOption) *validate.Result {
	return f.Validate(value, options...)
}

// A formerPlace is where a value is.
type formerPlace struct {
	path   string
	inList bool
}

// A formerWalk is one validation.
type formerWalk struct {
	release   *kubeversion.Release
	ofDefault bool
	panics    bool // the server does, whatever the errors are
}

// check returns the errors about a value in the server's order, except that it checks properties in alphabetical order.
func (w *formerWalk) check(schema *spec.Schema, value any, at formerPlace) *validate.Result {
	own := validate.NewSchemaValidator(w.alone(schema), nil, at.path, strfmt.Default).Validate(value)
	own.Errors = slices.DeleteFunc(own.Errors, func(err error) bool { return isNumberFormatText(err.Error()) })
	if !w.release.Has(kubeversion.CustomValuesShown) {
		showLimits(own, schema, value)
	}
	if value == nil {
		return own
	}
	result := &validate.Result{}
	if len(own.Errors) > 0 && isTypeError(own.Errors[0]) {
		result.AddErrors(own.Errors[0])
	}
	w.branches(result, schema, value, at)
	if list, ok := value.([]any); ok {
		w.elements(result, schema, list, at)
	}
	result.Merge(own)
	if object, ok := value.(map[string]any); ok {
		w.members(result, schema, object, at)
	}
	return result
}

func isTypeError(err error) bool {
	e, ok := err.(*openapierrors.Validation)
	return ok && e.Code() == openapierrors.InvalidTypeCode
}

// alone returns the part of a schema that is about a value itself, and not about what is in it. The number of its
// properties is not part of it.
func (w *formerWalk) alone(schema *spec.Schema) *spec.Schema {
	s := *schema
	s.AllOf, s.AnyOf, s.OneOf, s.Not = nil, nil, nil, nil
	s.Properties, s.AdditionalProperties, s.Required = nil, nil, nil
	s.MinProperties, s.MaxProperties = nil, nil
	s.Items = nil
	dropUnknownFormat(&s, w.release)
	if s.Nullable && len(s.Type) > 0 && !w.release.Has(kubeversion.CustomErrorsByField) {
		s.Type = append(slices.Clip(s.Type), "null") // and so in errors about the type
	}
	return &s
}

// members checks an object. A CRD cannot forbid additional properties, but the server mistakes a schema for them in a
// default before [kubeversion.CustomErrorsByField] for that.
func (w *formerWalk) members(result *validate.Result, schema *spec.Schema, object map[string]any, at formerPlace) {
	size := int64(len(object))
	if least := schema.MinProperties; least != nil && size < *least {
		result.AddErrors(openapierrors.TooFewProperties(at.path, "body", *least, size))
		return
	}
	if most := schema.MaxProperties; most != nil && size > *most {
		result.AddErrors(openapierrors.TooManyProperties(at.path, "body", *most, size))
		return
	}
	if !w.release.Has(kubeversion.ObjectsNotSchemas) {
		w.asSchema(result, object, at)
	}
	more := schema.AdditionalProperties
	forbidden := w.ofDefault && more != nil && more.Schema != nil && !w.release.Has(kubeversion.CustomErrorsByField)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		below := at
		below.path += "." + key
		if property, ok := schema.Properties[key]; ok {
			if at.path == "" {
				below.path = key
			}
			result.Merge(w.check(&property, object[key], below))
		} else if forbidden {
			if key != "$schema" && key != "id" {
				result.AddErrors(openapierrors.PropertyNotAllowed(at.path, "body", key))
			}
		} else if more != nil && more.Schema != nil {
			result.Merge(w.check(more.Schema, object[key], below))
		}
	}
	for _, key := range schema.Required {
		if _, ok := object[key]; !ok {
			result.AddErrors(openapierrors.Required(at.path+"."+key, "body"))
		}
	}
}

// asSchema checks an object as if it were a schema itself (ER-08a).
func (w *formerWalk) asSchema(result *validate.Result, object map[string]any, at formerPlace) {
	_, hasItems := object["items"]
	kind, hasType := object["type"]
	if kind == "array" && !hasItems {
		result.AddErrors(openapierrors.Required("items", at.path))
	}
	if w.release.Has(kubeversion.ItemsNeedNoType) && !at.inList && !w.ofDefault {
		return
	}
	// The server looks for the name before the last one of the path, which may be the only one.
	names := strings.Split(at.path, ".")
	last := len(names) - 1
	if names[last] == "properties" {
		if last == 0 {
			w.panics = true
			return
		}
		if names[last-1] != "properties" {
			return
		}
	}
	switch {
	case !hasItems || kind == "array":
	case hasType:
		result.AddErrors(openapierrors.InvalidType(at.path, "body", "array", nil))
	default:
		result.AddErrors(openapierrors.Required("type", at.path))
	}
}

func (w *formerWalk) elements(result *validate.Result, schema *spec.Schema, list []any, at formerPlace) {
	if schema.Items == nil || schema.Items.Schema == nil {
		return
	}
	for i, element := range list {
		below := formerPlace{path: at.path, inList: true}
		if w.release.Has(kubeversion.ElementsIndexed) {
			below.path = fmt.Sprintf("%s[%d]", at.path, i)
		}
		result.Merge(w.check(schema.Items.Schema, element, below))
	}
}

// branches checks a value against anyOf, oneOf, allOf and not. If all branches of the first two fail, the errors are those
// of the branch in which most checks were made.
func (w *formerWalk) branches(result *validate.Result, schema *spec.Schema, value any, at formerPlace) {
	wrong := func(format string, args ...any) {
		result.AddErrors(openapierrors.New(openapierrors.CompositeErrorCode, format, append([]any{at.path}, args...)...))
	}
	if len(schema.AnyOf) > 0 {
		valid, worst := w.branchesOf(schema.AnyOf, value, at, 1)
		if len(valid) > 0 {
			result.Merge(valid[0])
		} else {
			wrong(validate.MustValidateAtLeastOneSchemaError)
			result.Merge(worst)
		}
	}
	if len(schema.OneOf) > 0 {
		switch valid, worst := w.branchesOf(schema.OneOf, value, at, len(schema.OneOf)); len(valid) {
		case 0:
			wrong(validate.MustValidateOnlyOneSchemaError, "Found none valid")
			result.Merge(worst)
		case 1:
			result.Merge(valid[0])
		default:
			wrong(validate.MustValidateOnlyOneSchemaError, fmt.Sprintf("Found %d valid alternatives", len(valid)))
		}
	}
	valid := 0
	for i := range schema.AllOf {
		branch := w.check(&schema.AllOf[i], value, at)
		if branch.IsValid() {
			valid++
		}
		result.Merge(branch)
	}
	switch {
	case valid == len(schema.AllOf):
	case valid == 0:
		wrong(validate.MustValidateAllSchemasError, ". None validated")
	default:
		wrong(validate.MustValidateAllSchemasError, "")
	}
	if schema.Not != nil && w.check(schema.Not, value, at).IsValid() {
		wrong(validate.MustNotValidateSchemaError)
	}
}

// branchesOf returns the results of the branches that a value matches, but not of more than enough, and the result of the
// other branch in which most checks were made.
func (w *formerWalk) branchesOf(schemas []spec.Schema, value any, at formerPlace, enough int) (valid []*validate.Result, most *validate.Result) {
	for i := range schemas {
		branch := w.check(&schemas[i], value, at)
		switch {
		case branch.IsValid():
			if valid = append(valid, branch); len(valid) == enough {
				return valid, most
			}
		case most == nil || branch.MatchCount > most.MatchCount:
			most = branch
		}
	}
	return valid, most
}

// showLimits makes errors about a value show the limit instead of the value, or nothing if the limit is a length.
func showLimits(result *validate.Result, schema *spec.Schema, value any) {
	limit := func(l *float64) any {
		if _, ok := value.(int64); ok {
			return int64(*l)
		}
		return *l
	}
	for _, err := range result.Errors {
		e, ok := err.(*openapierrors.Validation)
		if !ok {
			continue
		}
		switch e.Code() {
		case openapierrors.MaxFailCode:
			e.Value = limit(schema.Maximum)
		case openapierrors.MinFailCode:
			e.Value = limit(schema.Minimum)
		case openapierrors.MultipleOfFailCode:
			e.Value = limit(schema.MultipleOf)
		case openapierrors.TooLongFailCode, openapierrors.TooShortFailCode, openapierrors.PatternFailCode,
			openapierrors.MaxItemsFailCode, openapierrors.MinItemsFailCode:
			e.Value = nil
		}
	}
}
