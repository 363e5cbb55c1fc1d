package managedfields

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/moved"
)

// movedIn returns the fields of a kind that the release has in another place than the Go types.
func (s *fieldSchema) movedIn(kind schema.GroupVersionKind) moved.Fields {
	if s.moved == nil {
		return moved.Fields{}
	}
	return s.moved(kind.GroupKind())
}

// typesOfRelease returns the built-in types of a release that may have some fields in another place than the Go types, or
// not at all.
func typesOfRelease(d Differences) []smdschema.TypeDef {
	r := reshaping{types: slices.Clone(builtInTypes), at: map[string]int{}}
	for i, def := range r.types {
		r.at[def.Name] = i
	}
	format := moved.Format[smdschema.TypeRef]{
		Field: r.field, Element: r.element, Replace: r.replace,
		Object: func(fields map[string]smdschema.TypeRef) smdschema.TypeRef {
			m := &smdschema.Map{}
			for name, fieldType := range fields {
				m.Fields = append(m.Fields, smdschema.StructField{Name: name, Type: fieldType})
			}
			return smdschema.TypeRef{Inlined: smdschema.Atom{Map: m}}
		},
		Map: func(element smdschema.TypeRef) smdschema.TypeRef {
			return smdschema.TypeRef{Inlined: smdschema.Atom{Map: &smdschema.Map{ElementType: element}}}
		},
	}
	for _, kind := range builtin.Kinds() {
		elsewhere := d.MovedIn(kind.GroupKind())
		if elsewhere.None() {
			continue
		}
		name := modelName(kind)
		if _, known := r.at[name]; known {
			format.Reshape(smdschema.TypeRef{NamedType: &name}, elsewhere)
		}
	}
	for name, fields := range declaredFields() {
		t := &r.types[r.at[name]]
		t.Map = withFields(t.Map, slices.Concat(t.Map.Fields, fields))
	}
	for i := range r.types {
		t := &r.types[i]
		if t.Map == nil {
			continue
		}
		if names := d.Absent(t.Name); len(names) > 0 {
			t.Map = withoutFields(t.Map, names)
		}
		if names := d.Former(t.Name); len(names) > 0 {
			fields := slices.Clone(t.Map.Fields)
			for _, name := range names {
				fields = append(fields, smdschema.StructField{Name: name, Type: formerType(t.Name, name)})
			}
			t.Map = withFields(t.Map, fields)
		}
		for _, m := range d.Merged(t.Name) {
			t.Map = m.in(t.Map)
		}
	}
	return r.types
}

// in returns the type as the release merges it.
func (m Merging) in(of *smdschema.Map) *smdschema.Map {
	of = withFields(of, slices.Clone(of.Fields))
	if m.Field == "" {
		of.ElementRelationship = m.relationship()
	}
	for i := range of.Fields {
		if f := &of.Fields[i]; f.Name == m.Field {
			f.Type = m.of(f.Type)
		}
	}
	return of
}

func (m Merging) of(r smdschema.TypeRef) smdschema.TypeRef {
	if list := r.Inlined.List; list != nil {
		changed := &smdschema.List{ElementType: list.ElementType, ElementRelationship: m.relationship()}
		if m.How != "atomic" && m.How != "set" {
			changed.Keys = strings.Split(m.How, ",")
		}
		return smdschema.TypeRef{Inlined: smdschema.Atom{List: changed}}
	}
	return smdschema.TypeRef{NamedType: r.NamedType, Inlined: r.Inlined, ElementRelationship: new(m.relationship())}
}

func (m Merging) relationship() smdschema.ElementRelationship {
	switch m.How {
	case "atomic":
		return smdschema.Atomic
	case "granular":
		return smdschema.Separable
	}
	return smdschema.Associative
}

// declaredFields returns the fields that types of package builtin have and those of k8s.io/api no longer do:
// k8s.io/api@v0.34.2:resource/v1alpha3/types.go, DeviceTaintSelector.
func declaredFields() map[string][]smdschema.StructField {
	selectors := &smdschema.List{ElementType: structOf(smdschema.StructField{Name: "cel", Type: structOf(textField("expression"))}), ElementRelationship: smdschema.Atomic}
	return map[string][]smdschema.StructField{
		typeResourceV1alpha3DeviceTaintSelector: {
			textField("deviceClassName"),
			{Name: "selectors", Type: smdschema.TypeRef{Inlined: smdschema.Atom{List: selectors}}},
		},
	}
}

// formerType returns the type of a field that no Go type has any more ([builtin.FormerType]). Only for lists with keys, the
// Go type does not say it.
func formerType(model, name string) smdschema.TypeRef {
	switch model + " " + name {
	case "io.k8s.api.core.v1.VolumeResourceRequirements claims":
		return listByKey("name", typeCoreV1ResourceClaim)
	case "io.k8s.api.networking.v1.NetworkPolicy status":
		return structOf(smdschema.StructField{Name: "conditions", Type: listByKey("type", typeApimachineryApisMetaV1Condition)})
	case "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta initializers":
		pending := &smdschema.List{ElementType: structOf(textField("name")), ElementRelationship: smdschema.Associative, Keys: []string{"name"}}
		return structOf(smdschema.StructField{Name: "pending", Type: smdschema.TypeRef{Inlined: smdschema.Atom{List: pending}}},
			smdschema.StructField{Name: "result", Type: smdschema.TypeRef{NamedType: &typeUntypedDeduced}})
	}
	return typeOf(builtin.FormerType(model, name))
}

// typeOf returns the type for a Go type that consists of structs, atomic lists and texts.
func typeOf(t reflect.Type) smdschema.TypeRef {
	switch t.Kind() {
	case reflect.Pointer:
		return typeOf(t.Elem())
	case reflect.Slice:
		return smdschema.TypeRef{Inlined: smdschema.Atom{List: &smdschema.List{ElementType: typeOf(t.Elem()), ElementRelationship: smdschema.Atomic}}}
	case reflect.Struct:
		var fields []smdschema.StructField
		for name, of := range builtin.Fields(t) {
			fields = append(fields, smdschema.StructField{Name: name, Type: typeOf(of)})
		}
		return structOf(fields...)
	case reflect.String:
		return textType
	}
	panic("managedfields: a former field has the type " + t.String())
}

var textType = smdschema.TypeRef{Inlined: smdschema.Atom{Scalar: &stringScalar}}

func textField(name string) smdschema.StructField {
	return smdschema.StructField{Name: name, Type: textType}
}

func structOf(fields ...smdschema.StructField) smdschema.TypeRef {
	return smdschema.TypeRef{Inlined: smdschema.Atom{Map: &smdschema.Map{Fields: fields}}}
}

// listByKey returns the type of a list of objects of a named type that have this key.
func listByKey(key, typeName string) smdschema.TypeRef {
	return smdschema.TypeRef{Inlined: smdschema.Atom{List: &smdschema.List{
		ElementType: smdschema.TypeRef{NamedType: &typeName}, ElementRelationship: smdschema.Associative, Keys: []string{key},
	}}}
}

// withoutFields returns the type without these fields.
func withoutFields(m *smdschema.Map, names []string) *smdschema.Map {
	return withFields(m, slices.DeleteFunc(slices.Clone(m.Fields), func(f smdschema.StructField) bool { return slices.Contains(names, f.Name) }))
}

// withFields returns the type with other fields.
func withFields(m *smdschema.Map, fields []smdschema.StructField) *smdschema.Map {
	return &smdschema.Map{Fields: fields, Unions: m.Unions, ElementType: m.ElementType, ElementRelationship: m.ElementRelationship}
}

// A reshaping changes types. at maps their names to their indexes.
type reshaping struct {
	types []smdschema.TypeDef
	at    map[string]int
}

func (r reshaping) atom(ref smdschema.TypeRef) smdschema.Atom {
	if ref.NamedType == nil {
		return ref.Inlined
	}
	if i, ok := r.at[*ref.NamedType]; ok {
		return r.types[i].Atom
	}
	return smdschema.Atom{}
}

func (r reshaping) field(ref smdschema.TypeRef, name string) (fieldType smdschema.TypeRef, ok bool) {
	m := r.atom(ref).Map
	if m == nil {
		return fieldType, false
	}
	f, ok := m.FindField(name)
	return f.Type, ok
}

func (r reshaping) element(ref smdschema.TypeRef) (elementType smdschema.TypeRef, ok bool) {
	switch atom := r.atom(ref); {
	case atom.List != nil:
		return atom.List.ElementType, true
	case atom.Map != nil:
		return atom.Map.ElementType, true
	}
	return elementType, false
}

// replace removes fields from a named type and adds another field. All types in which fields have moved have names.
func (r reshaping) replace(ref smdschema.TypeRef, names []string, name string, fieldType smdschema.TypeRef) {
	if ref.NamedType == nil {
		return
	}
	def := &r.types[r.at[*ref.NamedType]]
	def.Map = withoutFields(def.Map, names)
	def.Map.Fields = append(def.Map.Fields, smdschema.StructField{Name: name, Type: fieldType})
}
