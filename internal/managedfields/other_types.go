package managedfields

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/admsim/admsim/internal/builtin"
)

// withSent gives the schema of the built-in kinds that of the kinds that are only sent, such as TokenReviews, and of those
// that only former releases have. client-go does not have their types. They are deduced from an object, except for its
// structs and what merged lists for a former kind: nothing, for those that are only sent.
func withSent(s *fieldSchema, merged func(typeName string) []Merging) *fieldSchema {
	s.sent = sync.OnceValue(func() *fieldSchema {
		return &fieldSchema{
			direct: true, moved: s.moved, absent: s.absent, unset: s.unset, times: s.times, keys: s.keys,
			types: &typed.Parser{Schema: schema.Schema{Types: sentTypes(s.types.Schema.Types, merged)}}, name: sentName,
		}
	})
	return s
}

// sentName returns the name of a kind's type. That of a former kind is made as Kubernetes' were.
func sentName(kind runtimeschema.GroupVersionKind) string {
	if !builtin.Has(kind) {
		return ""
	}
	group, _, _ := strings.Cut(cmp.Or(kind.Group, "core"), ".")
	return cmp.Or(modelName(kind), "io.k8s.api."+group+"."+kind.Version+"."+kind.Kind)
}

func sentTypes(all []schema.TypeDef, merged func(typeName string) []Merging) []schema.TypeDef {
	types := slices.Clone(all)
	known := map[string]bool{}
	for _, t := range all {
		known[t.Name] = true
	}
	for _, kind := range builtin.Kinds() {
		if name := sentName(kind); !known[name] {
			known[name] = true
			def := schema.TypeDef{Name: name, Atom: deducedStruct()}
			if t := builtin.Type(kind); t.Kind() == reflect.Struct {
				def.Map.Fields = structsIn(t, map[reflect.Type]bool{})
			}
			for _, m := range merged(name) {
				m.into(def.Map, strings.Split(m.Field, "."))
			}
			types = append(types, def)
		}
	}
	return types
}

// structsIn returns the fields of a struct that are structs or maps. Nobody owns such a field itself if it has a type.
func structsIn(t reflect.Type, within map[reflect.Type]bool) (fields []schema.StructField) {
	if within[t] {
		return nil
	}
	within[t] = true
	defer delete(within, t)
	for _, f := range value.TypeReflectEntryOf(t).OrderedFields() {
		of := plainType(fieldType(t, f))
		field := schema.StructField{Name: f.JsonName, Type: schema.TypeRef{Inlined: deducedStruct()}}
		switch {
		case of == reflect.TypeFor[metav1.ObjectMeta]():
			field.Type = schema.TypeRef{NamedType: &typeApimachineryApisMetaV1ObjectMeta}
		case of.Kind() == reflect.Struct && !value.TypeReflectEntryOf(of).CanConvertToUnstructured():
			field.Type.Inlined.Map.Fields = structsIn(of, within)
		case of.Kind() != reflect.Map:
			continue
		}
		fields = append(fields, field)
	}
	return fields
}

func deducedStruct() schema.Atom {
	return schema.Atom{Map: &schema.Map{ElementType: schema.TypeRef{NamedType: &typeUntypedDeduced}}}
}

// into adds the field at a path in a struct whose type is deduced. A list comes before what is in its items.
func (m Merging) into(s *schema.Map, path []string) {
	name, inItems := strings.CutSuffix(path[0], "[]")
	i := slices.IndexFunc(s.Fields, func(f schema.StructField) bool { return f.Name == name })
	if i < 0 {
		i = len(s.Fields)
		s.Fields = append(s.Fields, schema.StructField{Name: name, Type: schema.TypeRef{Inlined: deducedStruct()}})
	}
	ref := &s.Fields[i].Type
	if inItems {
		ref = &ref.Inlined.List.ElementType
		if *ref == (schema.TypeRef{NamedType: &typeUntypedDeduced}) {
			*ref = schema.TypeRef{Inlined: deducedStruct()}
		}
	}
	switch {
	case len(path) > 1:
		m.into(ref.Inlined.Map, path[1:])
	case m.How == "atomic":
		*ref = schema.TypeRef{NamedType: &typeUntypedAtomic}
	case strings.Contains(m.How, "."):
		*ref = schema.TypeRef{NamedType: &m.How}
	default:
		list := &schema.List{ElementType: schema.TypeRef{NamedType: &typeUntypedDeduced}}
		*ref = m.of(schema.TypeRef{Inlined: schema.Atom{List: list}})
	}
}

// scaleTypes are the types of Scale. In the server they are in the schemas of the groups with scalable resources.
// client-go does not have them.
var scaleTypes = []schema.TypeDef{
	{Name: "io.k8s.api.autoscaling.v1.Scale", Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
		{Name: "apiVersion", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &stringScalar}}},
		{Name: "kind", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &stringScalar}}},
		{Name: "metadata", Type: schema.TypeRef{NamedType: &typeApimachineryApisMetaV1ObjectMeta}, Default: map[any]any(nil)},
		{Name: "spec", Type: schema.TypeRef{NamedType: &typeAutoscalingV1ScaleSpec}, Default: map[any]any(nil)},
		{Name: "status", Type: schema.TypeRef{NamedType: &typeAutoscalingV1ScaleStatus}, Default: map[any]any(nil)},
	}}}},
	{Name: typeAutoscalingV1ScaleSpec, Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
		{Name: "replicas", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &numericScalar}}},
	}}}},
	{Name: typeAutoscalingV1ScaleStatus, Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
		{Name: "replicas", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &numericScalar}}, Default: 0},
		{Name: "selector", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &stringScalar}}},
	}}}},
}

var (
	typeAutoscalingV1ScaleSpec   = "io.k8s.api.autoscaling.v1.ScaleSpec"
	typeAutoscalingV1ScaleStatus = "io.k8s.api.autoscaling.v1.ScaleStatus"
)
