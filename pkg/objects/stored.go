package objects

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
)

// dropEmpty makes every list of obj that is empty, a missing one. The server stores
// built-in kinds as protocol buffers, which have no empty lists: a role with rules [] is
// read again with rules null.
func dropEmpty(obj runtime.Object) runtime.Object {
	dropEmptyIn(reflect.ValueOf(obj).Elem())
	return obj
}

func dropEmptyIn(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			dropEmptyIn(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				dropEmptyIn(f)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		if v.Len() == 0 && v.CanSet() {
			v.SetZero()
		}
		for i := range v.Len() {
			dropEmptyIn(v.Index(i))
		}
	}
}
