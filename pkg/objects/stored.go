package objects

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
)

// dropEmpty makes every list of obj that is empty, a missing one. The server stores
// built-in kinds as protocol buffers, which have no empty lists: a role with rules [] is
// read again with rules null.
func dropEmpty(obj runtime.Object) {
	emptyLists(reflect.ValueOf(obj).Elem(), reflect.Value.SetZero)
}

// hasEmpty tells whether there is anything for dropEmpty to do.
func hasEmpty(obj runtime.Object) (found bool) {
	emptyLists(reflect.ValueOf(obj).Elem(), func(reflect.Value) { found = true })
	return found
}

// emptyLists calls found with every list in v that is there and empty.
func emptyLists(v reflect.Value, found func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			emptyLists(v.Elem(), found)
		}
	case reflect.Struct:
		for _, i := range listFields(v.Type()) {
			emptyLists(v.Field(i), found)
		}
	case reflect.Slice:
		if v.Len() == 0 && !v.IsNil() {
			found(v)
		}
		if !mayHaveLists(v.Type().Elem()) {
			return
		}
		for i := range v.Len() {
			emptyLists(v.Index(i), found)
		}
	}
}

// listFieldsOf keeps listFields by type.
var listFieldsOf sync.Map // reflect.Type → []int

// listFields are the fields of a struct that may have lists in them: a quarter of those of a
// container. Nobody changes the list.
func listFields(t reflect.Type) []int {
	if known, ok := listFieldsOf.Load(t); ok {
		return known.([]int)
	}
	var fields []int
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && mayHaveLists(f.Type) {
			fields = append(fields, i)
		}
	}
	listFieldsOf.Store(t, fields)
	return fields
}

// mayHaveLists tells what cannot have any at one glance. A list of bytes is none.
func mayHaveLists(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice:
		return t.Elem().Kind() != reflect.Uint8
	case reflect.Pointer:
		return mayHaveLists(t.Elem())
	case reflect.Struct:
		return true
	}
	return false
}
