// kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go

package crd

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

// extensions checks the extensions of a schema to OpenAPI, except for rules.
func (c crdCheck) extensions(s *apiextensions.JSONSchemaProps, path *field.Path) field.ErrorList {
	var errs rules.Errors
	if keep := s.XPreserveUnknownFields; keep != nil {
		errs.Add(rules.Unless(*keep, path.Child("x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined"))
	}
	errs.Add(shape(s, s.XMapType, "object", "x-kubernetes-map-type", []string{"atomic", "granular"}, path))
	errs.Add(shape(s, s.XListType, "array", "x-kubernetes-list-type", []string{"atomic", "set", "map"}, path))
	if part := setOfParts(s); part != "" && s.Type == "array" && c.atomicSets {
		// The server shows the list type in both cases.
		errs.Invalid(path.Child("items").Child(part), s.Items.Schema.XListType, "must be atomic as item of a list with x-kubernetes-list-type=set")
	}
	if len(s.XListMapKeys) > 0 {
		at, message := path.Child("x-kubernetes-list-type"), "must be map if x-kubernetes-list-map-keys is non-empty"
		if s.XListType == nil {
			errs.Required(at, message)
		} else {
			errs.Add(rules.Unless(isListType(s, "map"), at, *s.XListType, message))
		}
	}
	if isListType(s, "map") {
		errs.Add(listMap(s, path))
	}
	if c.listKeys {
		errs.Add(validateListItems(s, path))
	}
	return errs.List()
}

// shape checks how the parts of an object or a list are combined.
func shape(s *apiextensions.JSONSchemaProps, value *string, of, name string, values []string, path *field.Path) field.ErrorList {
	if value == nil {
		return nil
	}
	var errs rules.Errors
	message := "must be " + of + " if " + name + " is specified"
	if s.Type == "" {
		errs.Required(path.Child("type"), message)
	} else {
		errs.Add(rules.Unless(s.Type == of, path.Child("type"), s.Type, message))
	}
	errs.Add(rules.OneOf(value, values, path.Child(name)))
	return errs.List()
}

func isListType(s *apiextensions.JSONSchemaProps, name string) bool {
	return s.XListType != nil && *s.XListType == name
}

// setOfParts returns the field that would have to be atomic so that the items of a set can be compared as a whole, or
// "" if nothing is wrong. Scalars can always be compared. Lists are atomic by default, objects are not.
func setOfParts(s *apiextensions.JSONSchemaProps) string {
	if !isListType(s, "set") || s.Items == nil || s.Items.Schema == nil {
		return ""
	}
	items := s.Items.Schema
	switch {
	case items.Type == "array" && items.XListType != nil && *items.XListType != "atomic":
		return "x-kubernetes-list-type"
	case items.Type == "object" && (items.XMapType == nil || *items.XMapType != "atomic"):
		return "x-kubernetes-map-type"
	}
	return ""
}

// listMap checks a list whose items are identified by keys.
func listMap(s *apiextensions.JSONSchemaProps, path *field.Path) field.ErrorList {
	var errs rules.Errors
	keys, items := path.Child("x-kubernetes-list-map-keys"), path.Child("items")
	if len(s.XListMapKeys) == 0 {
		errs.Required(keys, "must not be empty if x-kubernetes-list-type is map")
	}
	switch {
	case s.Items == nil:
		errs.Required(items, "must have a schema if x-kubernetes-list-type is map")
		return errs.List()
	case s.Items.Schema == nil:
		errs.Invalid(items, s.Items, "must only have a single schema if x-kubernetes-list-type is map")
		return errs.List()
	case s.Items.Schema.Type != "object":
		errs.Invalid(items.Child("type"), s.Items.Schema.Type, "must be object if parent array's x-kubernetes-list-type is map")
		return errs.List()
	}
	for i, key := range s.XListMapKeys {
		property, ok := s.Items.Schema.Properties[key]
		errs.Add(rules.Unless(ok, keys, s.XListMapKeys, "entries must all be names of item properties"))
		// The server shows the type of the item.
		errs.Add(rules.Unless(property.Type != "array" && property.Type != "object", items.Child("properties").Key(key).Child("type"), s.Items.Schema.Type,
			"must be a scalar type if parent array's x-kubernetes-list-type is map"))
		errs.Add(rules.Unless(!slices.Contains(s.XListMapKeys[:i], key), keys, s.XListMapKeys, "must not contain duplicate entries"))
	}
	return errs.List()
}

// validateListItems checks that the items of maps and sets, and their keys, are present.
func validateListItems(s *apiextensions.JSONSchemaProps, path *field.Path) field.ErrorList {
	isMap := isListType(s, "map")
	if s.Items == nil || s.Items.Schema == nil || !isMap && !isListType(s, "set") {
		return nil
	}
	var errs rules.Errors
	items := s.Items.Schema
	path = path.Child("items")
	if items.Nullable {
		errs.Forbidden(path.Child("nullable"), "cannot be nullable when x-kubernetes-list-type is "+*s.XListType)
	}
	if !isMap {
		return errs.List()
	}
	for _, key := range s.XListMapKeys {
		property, ok := items.Properties[key]
		if !ok {
			continue
		}
		path := path.Child("properties").Key(key)
		if !slices.Contains(items.Required, key) && property.Default == nil {
			errs.Required(path.Child("default"), "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property")
		}
		if property.Nullable {
			errs.Forbidden(path.Child("nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable")
		}
	}
	return errs.List()
}
