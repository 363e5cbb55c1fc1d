package objects

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/memo"
)

// rawJSON knows which Go types can hold JSON as a client wrote it, with its white space (RT-11a).
type rawJSON struct {
	types memo.Map // reflect.Type → bool
}

// mayBeIn reports whether an object of that Go type may hold such JSON.
func (r *rawJSON) mayBeIn(obj runtime.Object) bool {
	t := reflect.TypeOf(obj)
	known, ok := r.types.Load(t)
	if !ok {
		known, _ = r.types.LoadOrStore(t, holdsRaw(t, map[reflect.Type]bool{}))
	}
	return known.(bool)
}

// holdsRaw looks at a type and the types of its parts, except for those seen already: types may be parts of themselves.
func holdsRaw(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return holdsRaw(t.Elem(), seen)
	case reflect.Struct:
		if t == reflect.TypeFor[runtime.RawExtension]() {
			return true
		}
		for part := range t.Fields() {
			if holdsRaw(part.Type, seen) {
				return true
			}
		}
	}
	return false
}
