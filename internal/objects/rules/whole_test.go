package rules

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/builtin"
)

// Objects keep their empty lists and maps when they are encoded and decoded again, at whatever depth these are.
func TestEncodeWhole(t *testing.T) {
	for _, kind := range builtin.Kinds() {
		of := builtin.Type(kind)
		for depth := range 10 {
			before := reflect.New(of)
			fillDown(before.Elem(), depth, nil)
			data := encodeWhole(before.Interface().(runtime.Object))
			after := reflect.New(of)
			if err := json.Unmarshal(data, after.Interface()); err != nil {
				t.Fatalf("%s, down to %d: %v\n%s", kind, depth, err, data)
			}
			if diff := cmp.Diff(before.Interface(), after.Interface()); diff != "" {
				t.Errorf("%s, down to %d (-before +after):\n%s", kind, depth, diff)
			}
		}
	}
}

// fillDown fills a value within others down to a depth, where lists and maps are empty. It leaves out types that encode
// themselves, and a type within itself, of which there would be too many.
func fillDown(v reflect.Value, depth int, within []reflect.Type) {
	if m := reflect.TypeFor[json.Marshaler](); v.Type().Implements(m) || v.Addr().Type().Implements(m) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if of := v.Type().Elem(); depth > 0 && !slices.Contains(within, of) {
			v.Set(reflect.New(of))
			fillDown(v.Elem(), depth-1, within)
		}
	case reflect.Struct:
		if slices.Contains(within, v.Type()) {
			return
		}
		within = append(slices.Clip(within), v.Type())
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				fillDown(v.Field(i), depth, within)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), min(depth, 2), 2))
		if depth > 0 {
			fillDown(v.Index(0), depth-1, within) // the other item has nothing
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		if depth > 0 {
			value := reflect.New(v.Type().Elem()).Elem()
			fillDown(value, depth-1, within)
			v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), value)
		}
	}
}
