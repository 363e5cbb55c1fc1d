package reporttest

import (
	"encoding/json"
	"reflect"
)

// A Filler fills values: all texts are equal, all booleans are Holds, numbers cycle through 0, 1 and 2, and lists have
// two items.
type Filler struct {
	Text   string
	Holds  bool
	Json   bool // fields for JSON must contain some
	number int64
	inside []reflect.Type
}

func Filled[T any](f *Filler) *T {
	v := new(T)
	f.fill(reflect.ValueOf(v).Elem())
	return v
}

func (f *Filler) fill(v reflect.Value) {
	nested := 0
	for _, t := range f.inside {
		if t == v.Type() {
			nested++
		}
	}
	if nested > 1 { // steps contain steps
		return
	}
	f.inside = append(f.inside, v.Type())
	defer func() { f.inside = f.inside[:len(f.inside)-1] }()
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.Text)
	case reflect.Bool:
		v.SetBool(f.Holds)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(f.number % 3)
		f.number++
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		if f.Json && v.Type() == reflect.TypeFor[json.RawMessage]() {
			text, _ := json.Marshal(f.Text)
			v.SetBytes(text)
			return
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(f.Text))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key)
		f.fill(value)
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for field, one := range v.Fields() {
			if !field.IsExported() { // such as embedded types
				one = reflect.NewAt(one.Type(), one.Addr().UnsafePointer()).Elem()
			}
			f.fill(one)
		}
	}
}
