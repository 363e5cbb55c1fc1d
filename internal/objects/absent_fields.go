package objects

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
)

// absentFields finds the fields of Go types that a release does not have.
type absentFields struct {
	list func(typeName string) []string // the absent fields of one type

	mu    sync.Mutex
	types map[reflect.Type]*fieldTree
}

// in returns the absent fields of a built-in kind, or nil if there are none.
func (a *absentFields) in(gvk schema.GroupVersionKind) *fieldTree {
	t := builtin.Type(gvk)
	if t == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.of(t)
}

// of returns the absent fields of a type. The caller holds the lock.
func (a *absentFields) of(t reflect.Type) *fieldTree {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return a.of(t.Elem())
	case reflect.Map:
		if each := a.of(t.Elem()); each != nil {
			return &fieldTree{each: each}
		}
		return nil
	case reflect.Struct:
	default:
		return nil
	}
	if known, ok := a.types[t]; ok {
		return known
	}
	fields := &fieldTree{within: map[string]*fieldTree{}}
	a.types[t] = fields // for types that contain themselves
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		a.types[t] = nil
		// In the types for JSON schemas, other values may stand for a schema or for a list of them.
		if f, ok := t.FieldByName("Schema"); ok {
			a.types[t] = a.of(f.Type)
		}
		return a.types[t]
	}
	a.add(fields, t)
	a.types[t] = fields.orNil()
	return a.types[t]
}

// add adds the absent fields of a struct. The fields of embedded structs are its own in JSON.
func (a *absentFields) add(fields *fieldTree, t reflect.Type) {
	if model, ok := builtin.OpenAPIName(t); ok {
		fields.names = append(fields.names, a.list(model)...)
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || name == "-":
		case name == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			a.add(fields, f.Type)
		case name != "" && !slices.Contains(fields.names, name):
			if within := a.of(f.Type); within != nil {
				fields.within[name] = within
			}
		}
	}
}
