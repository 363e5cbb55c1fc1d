package managedfields

import (
	"fmt"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// fromUnstructured types an object. If that fails, the error is the one for fields in the order of their names: the
// library takes them in any order, and ends with the first field that the type does not have.
func fromUnstructured(t typed.ParseableType, object map[string]any, opts []typed.ValidationOptions) (*typed.TypedValue, error) {
	result, err := t.FromUnstructured(object, opts...)
	if err != nil {
		_, err = typed.AsTyped(ordered{value.NewValueInterface(object)}, t.Schema, t.TypeRef, opts...)
	}
	return result, err
}

// An ordered value has the fields of its maps in the order of their names.
type ordered struct{ value.Value }

// Format writes the value as the library would.
func (v ordered) Format(to fmt.State, verb rune) {
	_, _ = fmt.Fprintf(to, fmt.FormatString(to, verb), v.Value)
}

func (v ordered) AsMapUsing(value.Allocator) value.Map { return orderedMap{v.AsMap()} }

func (v ordered) AsListUsing(value.Allocator) value.List { return orderedList{v.AsList()} }

type orderedList struct{ value.List }

func (l orderedList) AtUsing(_ value.Allocator, i int) value.Value { return ordered{l.At(i)} }

type orderedMap struct{ value.Map }

func (m orderedMap) IterateUsing(_ value.Allocator, do func(key string, v value.Value) bool) bool {
	var keys []string
	m.Iterate(func(key string, _ value.Value) bool {
		keys = append(keys, key)
		return true
	})
	slices.Sort(keys)
	for _, key := range keys {
		if v, _ := m.Get(key); !do(key, ordered{v}) {
			return false
		}
	}
	return true
}
