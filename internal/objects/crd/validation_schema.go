// kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go

package crd

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// besideStatus are the fields, by their Go names, that the root of a schema may have if its property status is also
// used alone.
var besideStatus = []string{
	"Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum", "ExclusiveMinimum", "MaxLength", "MinLength",
	"Pattern", "MaxItems", "MinItems", "UniqueItems", "MultipleOf", "Required", "Items", "Properties", "ExternalDocs", "Example",
	"XPreserveUnknownFields", "XValidations",
}

// root checks the schema of a version, or the one of all versions under the name of the first.
func (c crdCheck) root(v *apiextensions.CustomResourceValidation, version string, status bool, path *field.Path) field.ErrorList {
	if v == nil {
		return nil
	}
	var errs field.ErrorList
	if s := v.OpenAPIV3Schema; s != nil {
		errs = c.rootSchema(s, version, status, path.Child("openAPIV3Schema"))
	}
	if len(errs) > 0 {
		return errs
	}
	if _, _, err := schemavalidation.NewSchemaValidator(v.OpenAPIV3Schema); err != nil {
		return field.ErrorList{field.Invalid(path, "", fmt.Sprintf("error building validator: %v", err))}
	}
	return nil
}

func (c crdCheck) rootSchema(s *apiextensions.JSONSchemaProps, version string, status bool, path *field.Path) field.ErrorList {
	var errs rules.Errors
	if status {
		errs.Add(withStatus(s, path))
	}
	if s.Nullable {
		errs.Forbidden(path.Child("nullable"), "nullable cannot be true at the root")
	}
	place := schemaPlace{path: path, root: true}
	var notStructural error
	valid := false
	if c.structural {
		var wrong field.ErrorList
		wrong, notStructural = c.structure(s, path)
		errs.Add(wrong)
		valid = len(wrong) == 0 && notStructural == nil
	}
	if valid || !c.release.Has(kubeversion.RulesOfValidSchemas) {
		place.rules = rulesOfRoot(s, c.sameSchema[version], c.release)
	}
	found := c.within(s, place)
	errs.Add(found.schema)
	errs.Add(found.rules)
	if !errs.Any() && notStructural != nil { // otherwise it was already reported differently
		errs.Invalid(path, "", notStructural.Error())
	}
	if place.rules != nil {
		errs.Add(place.rules.costs.faults(path))
	}
	return errs.List()
}

// structure checks that fields can be pruned and defaults set. The error is about problems that other checks report
// better.
func (c crdCheck) structure(s *apiextensions.JSONSchemaProps, path *field.Path) (field.ErrorList, error) {
	structural, err := structuralschema.NewStructural(s)
	if err != nil {
		return nil, err
	}
	if errs := structuralschema.ValidateStructural(path, structural); len(errs) > 0 {
		return errs, nil
	}
	return c.defaults(structural, path), nil
}

// withStatus finds the first field of a root that would be lost where only status is checked.
func withStatus(s *apiextensions.JSONSchemaProps, path *field.Path) field.ErrorList {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch {
		case v.Field(i).IsZero():
		case name == "Type" && s.Type != "object":
			return field.ErrorList{field.Invalid(path.Child("type"), s.Type, `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`)}
		case !slices.Contains(besideStatus, name):
			return field.ErrorList{field.Invalid(path, *s, fmt.Sprintf("only %v fields are allowed at the root of the schema if the status subresource is enabled", besideStatus))}
		}
	}
	return nil
}

// schemaFaults are the errors about a schema and those within it. From [kubeversion.RulesOfValidSchemas] on, the rules of
// invalid schemas are not compiled, since further errors about them would not help.
type schemaFaults struct{ schema, rules field.ErrorList }

func (f *schemaFaults) add(more schemaFaults) {
	f.schema = append(f.schema, more.schema...)
	f.rules = append(f.rules, more.rules...)
}

// A schemaPlace is the place of a schema within the schema of an object.
type schemaPlace struct {
	path       *field.Path
	root       bool
	metadata   bool        // within the metadata of an object
	noDefaults string      // why defaults are forbidden; empty if they are allowed
	unrelated  *field.Path // the part that cannot be found in the old object; nil if all can
	rules      *ruleScope  // nil if no rules are compiled
}

// child returns the place of a schema within the one at p.
func (p schemaPlace) child(path *field.Path, rules *ruleScope) schemaPlace {
	p.path, p.root, p.rules = path, false, rules
	return p
}

// logical returns the place of a schema for the same value, where the server does not allow rules.
func (c crdCheck) logical(p schemaPlace, s *apiextensions.JSONSchemaProps, path *field.Path) schemaPlace {
	if c.release.Has(kubeversion.RulesOfValidSchemas) {
		return p.child(path, nil)
	}
	return p.child(path, p.rules.child(s, noTypes))
}

// notFoundAgain marks parts that cannot be found in an old value, if unrelated is set.
func (p schemaPlace) notFoundAgain(unrelated bool, path *field.Path) schemaPlace {
	if unrelated && p.unrelated == nil {
		p.unrelated = path
	}
	return p
}

// within checks a schema and those within it.
func (c crdCheck) within(s *apiextensions.JSONSchemaProps, p schemaPlace) schemaFaults {
	if s == nil {
		return schemaFaults{}
	}
	found := schemaFaults{schema: c.unsupported(s, p)}
	if s.AdditionalProperties != nil {
		found.add(c.additionalProperties(s, p))
	}
	for name, property := range rules.Sorted(s.Properties) {
		found.add(c.within(&property, p.property(s, &property, name)))
	}
	for _, group := range []struct {
		name    string
		schemas []apiextensions.JSONSchemaProps
	}{{"allOf", s.AllOf}, {"oneOf", s.OneOf}, {"anyOf", s.AnyOf}} {
		for i := range group.schemas {
			found.add(c.within(&group.schemas[i], c.logical(p, &group.schemas[i], p.path.Child(group.name).Index(i))))
		}
	}
	found.add(c.within(s.Not, c.logical(p, s.Not, p.path.Child("not"))))
	for name, definition := range rules.Sorted(s.Definitions) {
		found.add(c.within(&definition, c.logical(p, &definition, p.path.Child("definitions").Key(name))))
	}
	for name, dependency := range rules.Sorted(s.Dependencies) {
		found.add(c.within(dependency.Schema, c.logical(p, dependency.Schema, p.path.Child("dependencies").Key(name))))
	}
	if s.Items != nil {
		found.add(c.items(s, p))
	}
	found.schema = append(found.schema, c.extensions(s, p.path)...)
	for i, rule := range s.XValidations {
		found.schema = append(found.schema, ruleFaults(s, rule, p.path.Child("x-kubernetes-validations").Index(i))...)
	}
	if len(s.XValidations) > 0 && p.rules != nil && (len(found.schema) == 0 || !c.release.Has(kubeversion.RulesOfValidSchemas)) {
		found.rules = append(found.rules, c.compile(s, p)...)
	}
	return found
}

func (c crdCheck) additionalProperties(s *apiextensions.JSONSchemaProps, p schemaPlace) schemaFaults {
	var found schemaFaults
	more, path := s.AdditionalProperties, p.path.Child("additionalProperties")
	if len(s.Properties) != 0 && (!more.Allows || more.Schema != nil) {
		found.schema = append(found.schema, field.Forbidden(path, "additionalProperties and properties are mutual exclusive"))
	}
	if p.metadata {
		p.noDefaults = "inside additionalProperties applying to object metadata" // where nothing can be pruned
	}
	found.add(c.within(more.Schema, p.child(path, p.rules.child(more.Schema, typesOfValues))))
	return found
}

// property returns the place of a property of s, which is at p.
func (p schemaPlace) property(s, property *apiextensions.JSONSchemaProps, name string) schemaPlace {
	at := p.child(p.path.Child("properties").Key(name), p.rules.child(property, typesOfProperty(name)))
	at = at.notFoundAgain(!cel.MapIsCorrelatable(s.XMapType), p.path)
	if (p.root || s.XEmbeddedResource) && slices.Contains([]string{"metadata", "kind", "apiVersion"}, name) {
		at.metadata = true
		if p.root {
			at.noDefaults = "in top-level " + name
		}
	}
	return at
}

// items checks the schema of items. Only the items of lists of type map can be found in an old list: the items of a set
// do not change.
func (c crdCheck) items(s *apiextensions.JSONSchemaProps, p schemaPlace) schemaFaults {
	path := p.path.Child("items")
	at := func(items *apiextensions.JSONSchemaProps, path *field.Path) schemaPlace {
		return p.child(path, p.rules.child(items, typesOfItems)).notFoundAgain(s.XListType == nil || *s.XListType != "map", p.path)
	}
	found := c.within(s.Items.Schema, at(s.Items.Schema, path))
	for i := range s.Items.JSONSchemas {
		found.add(c.within(&s.Items.JSONSchemas[i], at(&s.Items.JSONSchemas[i], path.Index(i))))
	}
	return found
}

func hasUnknownType(s *apiextensions.JSONSchemaProps) bool {
	return s.Type != "" && !slices.Contains(schemaTypes, s.Type)
}

// unsupported checks for parts of OpenAPI that the server does not support, here or at all.
func (c crdCheck) unsupported(s *apiextensions.JSONSchemaProps, p schemaPlace) field.ErrorList {
	var errs rules.Errors
	forbid := func(is bool, name, message string) {
		if is {
			errs.Forbidden(p.path.Child(name), message)
		}
	}
	if c.types && hasUnknownType(s) {
		errs.Append(field.NotSupported(p.path.Child("type"), s.Type, schemaTypes))
	}
	forbid(s.Default != nil && (c.noDefaults || p.noDefaults != ""), "default", strings.TrimSpace("must not be set "+cmp.Or(p.noDefaults, c.whyNoDefaults)))
	forbid(s.ID != "", "id", "id is not supported")
	forbid(s.AdditionalItems != nil, "additionalItems", "additionalItems is not supported")
	forbid(len(s.PatternProperties) != 0, "patternProperties", "patternProperties is not supported")
	forbid(len(s.Definitions) != 0, "definitions", "definitions is not supported")
	forbid(s.Dependencies != nil, "dependencies", "dependencies is not supported")
	forbid(s.Ref != nil, "$ref", "$ref is not supported")
	forbid(s.Type == "null", "type", "type cannot be set to null, use nullable as an alternative")
	forbid(s.Items != nil && len(s.Items.JSONSchemas) != 0, "items", "items must be a schema object and not an array")
	forbid(p.metadata && s.XEmbeddedResource, "x-kubernetes-embedded-resource", "must not be used inside of resource meta")
	forbid(s.UniqueItems, "uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic")
	return errs.List()
}
