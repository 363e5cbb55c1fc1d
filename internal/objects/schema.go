package objects

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/objects/rules"
)

// schemaOf returns the OpenAPI schema of a kind, limited to types: which fields the release has, and what they may
// contain. References are resolved; where a type contains itself, the inner one is an object without fields, as in
// kubernetes/apiserver:pkg/cel/openapi/resolver/refs.go. ok is false for an unknown kind.
func (t *Types) schemaOf(gvk schema.GroupVersionKind) (s *spec.Schema, ok bool) {
	k, err := t.kind(gvk)
	if err != nil {
		return nil, false
	}
	switch k := k.(type) {
	case Custom:
		return k.Published(gvk.Version, goSchema(reflect.TypeFor[metav1.ObjectMeta]()))
	case *typed:
		moved := t.MovedIn(gvk)
		s := goSchemas{has: t.hasField(moved), former: t.formerFields}.start().schemaFor(builtin.Type(gvk))
		schemaFormat().Reshape(s, moved)
		return s, true
	}
	return nil, false
}

// visibleSchemaOf is schemaOf with the types that expressions see when they run: times and bytes are text, and what
// schemas leave open, such as quantities, is of any type.
func (t *Types) visibleSchemaOf(gvk schema.GroupVersionKind) (s *spec.Schema, ok bool) {
	if s, ok = t.schemaOf(gvk); ok {
		makeVisible(s)
	}
	return s, ok
}

// ofAnyType is the format of values that may have any type in CEL, whatever else the schema says.
const ofAnyType = "int-or-string"

func makeVisible(s *spec.Schema) {
	preserved, _ := s.Extensions.GetBool("x-kubernetes-preserve-unknown-fields")
	embedded, _ := s.Extensions.GetBool("x-kubernetes-embedded-resource")
	hasFields := len(s.Properties) > 0 || s.AdditionalProperties != nil
	switch {
	case preserved, embedded, len(s.Type) == 0, s.Type.Contains("object") && !hasFields:
		*s = spec.Schema{SchemaProps: spec.SchemaProps{Format: ofAnyType}}
		return
	case s.Format != ofAnyType:
		s.Format = ""
	}
	for name, property := range s.Properties {
		makeVisible(&property)
		s.Properties[name] = property
	}
	if s.Items != nil && s.Items.Schema != nil {
		makeVisible(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		makeVisible(s.AdditionalProperties.Schema)
	}
}

// FieldNames returns the sorted names of all fields of a kind, at any depth.
func (t *Types) FieldNames(gvk schema.GroupVersionKind) []string {
	names := map[string]bool{}
	if s, ok := t.schemaOf(gvk); ok {
		addFieldNames(names, s)
	}
	return slices.Sorted(maps.Keys(names))
}

func addFieldNames(names map[string]bool, s *spec.Schema) {
	for name, property := range s.Properties {
		names[name] = true
		addFieldNames(names, &property)
	}
	if s.Items != nil && s.Items.Schema != nil {
		addFieldNames(names, s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		addFieldNames(names, s.AdditionalProperties.Schema)
	}
}

// hasField returns a function that reports whether a type has a field in the release. Fields that the release has
// elsewhere count as present, since they are moved later.
func (t *Types) hasField(elsewhere moved.Fields) func(of reflect.Type, name string) bool {
	hidden := map[string]bool{}
	for _, path := range elsewhere.Hidden() {
		hidden[path[strings.LastIndexByte(path, '.')+1:]] = true
	}
	return func(of reflect.Type, name string) bool {
		model, ok := builtin.OpenAPIName(of)
		return !ok || hidden[name] || rules.HasField(t.options.Release, model, name)
	}
}

// formerFields returns the fields of a type that only the release has, with their types (W-347).
func (t *Types) formerFields(of reflect.Type) map[string]reflect.Type {
	model, ok := builtin.OpenAPIName(of)
	if !ok {
		return nil
	}
	var fields map[string]reflect.Type
	for _, name := range t.options.Release.FormerFields(model) {
		if fields == nil {
			fields = map[string]reflect.Type{}
		}
		fields[name] = builtin.FormerType(model, name)
	}
	return fields
}

// schemaFormat defines how fields are moved in OpenAPI schemas.
func schemaFormat() moved.Format[*spec.Schema] {
	return moved.Format[*spec.Schema]{
		Field: func(s *spec.Schema, name string) (*spec.Schema, bool) {
			field, ok := s.Properties[name]
			return &field, ok
		},
		Element: func(s *spec.Schema) (*spec.Schema, bool) {
			switch {
			case s.Items != nil:
				return s.Items.Schema, true
			case s.AdditionalProperties != nil:
				return s.AdditionalProperties.Schema, true
			}
			return nil, false
		},
		Object: func(fields map[string]*spec.Schema) *spec.Schema {
			s := new(spec.Schema).Typed("object", "")
			for name, field := range fields {
				s.SetProperty(name, *field)
			}
			return s
		},
		Map: func(element *spec.Schema) *spec.Schema { return spec.MapProperty(element) },
		Replace: func(s *spec.Schema, without []string, name string, field *spec.Schema) {
			for _, other := range without {
				delete(s.Properties, other)
			}
			s.Properties[name] = *field
		},
	}
}

// goSchema returns the schema of a Go type of the API. The server generates it from the same types, into a package that
// is not published.
func goSchema(t reflect.Type) *spec.Schema { return goSchemas{}.start().schemaFor(t) }

// goSchemas builds the schema of a Go type.
type goSchemas struct {
	has       func(of reflect.Type, name string) bool       // whether a type has a field; nil if every field exists
	former    func(of reflect.Type) map[string]reflect.Type // fields that a Go type does not have any more; nil for none
	enclosing map[reflect.Type]bool                         // the types that contain the current one
}

func (g goSchemas) start() *goSchemas {
	g.enclosing = map[reflect.Type]bool{}
	return &g
}

// Types that declare their own OpenAPI type.
type (
	selfTyped interface {
		OpenAPISchemaType() []string
		OpenAPISchemaFormat() string
	}
	multiTyped interface{ OpenAPIV3OneOfTypes() []string }
)

func (g *goSchemas) schemaFor(t reflect.Type) *spec.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := &spec.Schema{}
	if self, ok := reflect.Zero(t).Interface().(selfTyped); ok {
		s.Format = self.OpenAPISchemaFormat()
		if _, several := self.(multiTyped); !several {
			s.Type = self.OpenAPISchemaType()
		}
		return s
	}
	switch t.Kind() {
	case reflect.Struct:
		return g.object(t)
	case reflect.Map:
		s.Type = []string{"object"}
		s.AdditionalProperties = &spec.SchemaOrBool{Allows: true, Schema: g.schemaFor(t.Elem())}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			s.Type, s.Format = []string{"string"}, "byte"
			break
		}
		s.Type = []string{"array"}
		s.Items = &spec.SchemaOrArray{Schema: g.schemaFor(t.Elem())}
	case reflect.String:
		s.Type = []string{"string"}
	case reflect.Bool:
		s.Type = []string{"boolean"}
	case reflect.Float32, reflect.Float64:
		s.Type, s.Format = []string{"number"}, "double"
	case reflect.Int64, reflect.Uint64:
		s.Type, s.Format = []string{"integer"}, "int64"
	case reflect.Int, reflect.Int32, reflect.Int16, reflect.Int8, reflect.Uint, reflect.Uint32, reflect.Uint16, reflect.Uint8:
		s.Type, s.Format = []string{"integer"}, "int32"
	}
	return s
}

func (g *goSchemas) object(t reflect.Type) *spec.Schema {
	s := &spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}}}
	if g.enclosing[t] || t == reflect.TypeFor[runtime.RawExtension]() || t == reflect.TypeFor[metav1.FieldsV1]() {
		return s
	}
	g.enclosing[t] = true
	defer delete(g.enclosing, t)
	s.Properties = map[string]spec.Schema{}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || name == "-":
		case name == "" && (f.Anonymous || strings.Contains(options, "inline")):
			for inner, property := range g.schemaFor(f.Type).Properties {
				if g.has == nil || g.has(t, inner) {
					s.Properties[inner] = property
				}
			}
		case name != "" && (g.has == nil || g.has(t, name)):
			s.Properties[name] = *g.schemaFor(f.Type)
		}
	}
	if g.former != nil {
		for name, of := range g.former(t) {
			s.Properties[name] = *g.schemaFor(of)
		}
	}
	return s
}

// schemeName is the server's name for its scheme in messages.
const schemeName = "pkg/runtime/scheme.go:111"
