// Package unset writes fields that are not set, or omits them, as older servers did (W-138). The Go types come from newer
// releases, which do the opposite. [Order.Encode] writes the changed JSON as Go encodes values of these types.
package unset

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	"k8s.io/kube-openapi/pkg/util"
)

// Fields are the unset fields that a release writes. A nil *Fields has none.
type Fields struct {
	of map[string][]field // by the name of the struct in OpenAPI

	mu    sync.RWMutex
	known map[reflect.Type]bool // whether values of a type may have such a field
}

// A field has the name of its struct in OpenAPI, and the JSON that is written; without it, it is omitted.
type field struct{ Type, Name, Value string }

// New returns the Fields for a list of unset fields, or nil if there are none.
func New(fields ...struct{ Type, Name, Value string }) *Fields {
	if len(fields) == 0 {
		return nil
	}
	of := map[string][]field{}
	for _, f := range fields {
		of[f.Type] = append(of[f.Type], field(f))
	}
	return &Fields{of: of, known: map[reflect.Type]bool{}}
}

// in returns the fields of a struct.
func (f *Fields) in(t reflect.Type) []field {
	if named, ok := reflect.Zero(t).Interface().(util.OpenAPIModelNamer); ok {
		return f.of[named.OpenAPIModelName()]
	}
	return nil
}

// in returns the field of a struct.
func (f field) in(of reflect.Value) reflect.Value {
	for t, part := range of.Fields() {
		if jsonName(t) == f.Name {
			return part
		}
	}
	return reflect.Value{}
}

// value returns what is written into a struct. Of lists, null ones differ from empty ones, though both are omitted.
func (f field) value(of reflect.Value) (value any) {
	if part := f.in(of); part.IsValid() && part.Kind() == reflect.Slice && !part.IsNil() {
		return []any{}
	}
	if err := json.Unmarshal([]byte(f.Value), &value); err != nil {
		panic("unset: " + f.Name + ": " + err.Error())
	}
	return value
}

// MayBeIn reports whether Write may have anything to do for object, which has a Go type.
func (f *Fields) MayBeIn(object any) bool {
	return f != nil && object != nil && f.within(reflect.TypeOf(object))
}

// within reports whether values of type t may have one of the fields.
func (f *Fields) within(t reflect.Type) bool {
	f.mu.RLock()
	known, ok := f.known[t]
	f.mu.RUnlock()
	if ok {
		return known
	}
	found := f.reachable(t, map[reflect.Type]bool{})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known[t] = found
	return found
}

// reachable is within, without the types that are seen already: types may be parts of themselves.
func (f *Fields) reachable(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return f.reachable(t.Elem(), seen)
	case reflect.Struct:
		if len(f.in(t)) > 0 {
			return true
		}
		for part := range t.Fields() {
			if f.reachable(part.Type, seen) {
				return true
			}
		}
	}
	return false
}

// Write adds the unset fields of object, which has a Go type, to tree, its decoded JSON.
func (f *Fields) Write(object, tree any) {
	if f.MayBeIn(object) {
		f.write(reflect.ValueOf(object), tree)
	}
}

// write walks an object and its JSON side by side.
func (f *Fields) write(v reflect.Value, tree any) {
	if !f.within(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			f.write(v.Elem(), tree)
		}
	case reflect.Slice:
		items, _ := tree.([]any)
		for i := range items {
			f.write(v.Index(i), items[i])
		}
	case reflect.Struct:
		members, ok := tree.(map[string]any)
		if !ok {
			return
		}
		for _, unset := range f.in(v.Type()) {
			switch _, set := members[unset.Name]; {
			case unset.Value == "" && unset.in(v).IsZero():
				delete(members, unset.Name)
			case unset.Value != "" && !set:
				members[unset.Name] = unset.value(v)
			}
		}
		for i := range v.NumField() {
			if name := jsonName(v.Type().Field(i)); name == "" {
				f.write(v.Field(i), members) // inline
			} else {
				f.write(v.Field(i), members[name])
			}
		}
	}
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
