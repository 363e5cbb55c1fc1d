package variation

import (
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/smallest"
	"github.com/admsim/admsim/internal/space/edges"
)

// A Shape says what a place of an object can hold, according to its Go type or to the schema of its
// CustomResourceDefinition. With neither, it can hold anything.
type Shape struct {
	is     sort
	typ    reflect.Type
	schema *apiextensionsv1.JSONSchemaProps
}

// A sort is the kind of values of a shape.
type sort int

const (
	nothing sort = iota // the field does not exist
	anything
	aText
	aNumber
	aFraction
	aBool
	aList
	aMap
	aStruct
	aQuantity
	aTime
	textOrNumber
	someBytes // as base64
)

// ShapeOf returns the shape of objects of a kind.
func ShapeOf(kind schema.GroupVersionKind, crd *apiextensionsv1.CustomResourceDefinition) Shape {
	if o, ok := builtin.New(kind); ok {
		return shapeOfType(reflect.TypeOf(o))
	}
	if crd == nil {
		return Shape{is: anything}
	}
	for _, v := range crd.Spec.Versions {
		if v.Name == kind.Version && v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
			return shapeOfSchema(v.Schema.OpenAPIV3Schema)
		}
	}
	return Shape{is: anything}
}

var special = map[reflect.Type]sort{
	reflect.TypeFor[resource.Quantity]():    aQuantity,
	reflect.TypeFor[intstr.IntOrString]():   textOrNumber,
	reflect.TypeFor[metav1.Time]():          aTime,
	reflect.TypeFor[metav1.MicroTime]():     aTime,
	reflect.TypeFor[runtime.RawExtension](): anything,
	reflect.TypeFor[metav1.FieldsV1]():      nothing, // written by the server
}

func shapeOfType(t reflect.Type) Shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := Shape{typ: t}
	if is, ok := special[t]; ok {
		s.is = is
		return s
	}
	switch t.Kind() {
	case reflect.String:
		s.is = aText
	case reflect.Bool:
		s.is = aBool
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		s.is = aNumber
	case reflect.Float32, reflect.Float64:
		s.is = aFraction
	case reflect.Slice:
		s.is = aList
		if t.Elem().Kind() == reflect.Uint8 {
			s.is = someBytes
		}
	case reflect.Map:
		s.is = aMap
	case reflect.Struct:
		s.is = aStruct
	default:
		s.is = anything
	}
	return s
}

func shapeOfSchema(p *apiextensionsv1.JSONSchemaProps) Shape {
	s := Shape{schema: p}
	switch {
	case p.XIntOrString:
		s.is = textOrNumber
	case p.Type == "string":
		s.is = aText
	case p.Type == "integer":
		s.is = aNumber
	case p.Type == "number":
		s.is = aFraction
	case p.Type == "boolean":
		s.is = aBool
	case p.Type == "array":
		s.is = aList
	case p.Type == "object" && len(p.Properties) == 0 && p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil:
		s.is = aMap
	case p.Type == "object" && len(p.Properties) > 0:
		s.is = aStruct
	default:
		s.is = anything
	}
	return s
}

// then returns the shape after a step.
func (s Shape) then(step string) Shape {
	switch s.is {
	case anything:
		return s
	case aList:
		if step != edges.Element {
			return Shape{}
		}
		if s.typ != nil {
			return shapeOfType(s.typ.Elem())
		}
		if s.schema.Items != nil && s.schema.Items.Schema != nil {
			return shapeOfSchema(s.schema.Items.Schema)
		}
		return Shape{is: anything}
	case aMap:
		if step == edges.Element {
			return Shape{is: aText} // a key
		}
		if s.typ != nil {
			return shapeOfType(s.typ.Elem())
		}
		return shapeOfSchema(s.schema.AdditionalProperties.Schema)
	case aStruct:
		return s.field(step)
	}
	return Shape{}
}

// field returns the shape of a field of a struct.
func (s Shape) field(name string) Shape {
	if s.typ == nil {
		switch p, ok := s.schema.Properties[name]; {
		case name == "metadata":
			return shapeOfType(reflect.TypeFor[metav1.ObjectMeta]())
		case ok:
			return shapeOfSchema(&p)
		case s.schema.XPreserveUnknownFields != nil && *s.schema.XPreserveUnknownFields:
			return Shape{is: anything}
		}
		return Shape{}
	}
	for _, f := range s.fields() {
		if f.name == name {
			return f.shape
		}
	}
	return Shape{}
}

// A field is a field of a struct.
type field struct {
	name     string
	required bool
	shape    Shape
}

// fields returns the fields of a struct.
func (s Shape) fields() (all []field) {
	if s.typ == nil {
		for name, p := range s.schema.Properties {
			if name == "apiVersion" || name == "kind" || name == "metadata" {
				continue
			}
			all = append(all, field{name, slices.Contains(s.schema.Required, name) && p.Default == nil, shapeOfSchema(&p)})
		}
		slices.SortFunc(all, func(a, b field) int { return strings.Compare(a.name, b.name) })
		return all
	}
	for i := range s.typ.NumField() {
		f := s.typ.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
		case name == "" && f.Anonymous:
			all = append(all, shapeOfType(f.Type).fields()...)
		case name != "":
			all = append(all, field{name, !strings.Contains(options, "omitempty") && f.Type.Kind() != reflect.Pointer, shapeOfType(f.Type)})
		}
	}
	return all
}

// deepest limits the depth of generated values: a few types contain themselves.
const deepest = 8

// typical returns a value of the shape, a different one for each n.
func (s Shape) typical(n int) any { return s.made(n, 0) }

func (s Shape) made(n, depth int) any {
	if s.schema != nil && s.is != aList && s.is != aMap {
		return smallest.Value(s.schema, n)
	}
	texts := []string{"example", "other", "third"}
	switch s.is {
	case aNumber, textOrNumber:
		return int64(n + 1)
	case aFraction:
		return float64(n+1) + 0.5
	case aBool:
		return n%2 == 0
	case aQuantity:
		return []string{"1", "2", "3"}[n%3]
	case someBytes:
		return []string{"ZXhhbXBsZQ==", "b3RoZXI=", "dGhpcmQ="}[n%3]
	case aTime:
		return []string{"2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"}[n%3]
	case aList:
		list := []any{}
		if depth < deepest {
			list = append(list, s.then(edges.Element).made(n, depth+1))
		}
		return list
	case aMap:
		made := map[string]any{}
		if depth < deepest {
			made[texts[n%3]] = s.then("any").made(0, depth+1)
		}
		return made
	case aStruct:
		return s.required(depth)
	}
	return texts[n%3]
}

// required returns the fields of a struct that cannot be left out.
func (s Shape) required(depth int) map[string]any {
	made := map[string]any{}
	if depth >= deepest {
		return made
	}
	for _, f := range s.fields() {
		if f.required && f.shape.is != nothing && f.name != "status" {
			made[f.name] = f.shape.made(0, depth+1)
		}
	}
	return made
}

// fits reports whether the shape can hold a literal.
func (s Shape) fits(literal any) bool {
	if s.is == anything {
		return true
	}
	switch is := literal.(type) {
	case string:
		if s.is == aQuantity {
			_, err := resource.ParseQuantity(is)
			return err == nil
		}
		return s.is == aText || s.is == textOrNumber || s.is == aTime
	case int64:
		return s.is == aNumber || s.is == textOrNumber || s.is == aFraction
	case float64:
		return s.is == aFraction
	case bool:
		return s.is == aBool
	}
	return false
}
