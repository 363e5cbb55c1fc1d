package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// encodeWhole returns the JSON of an object, including the empty lists and maps that JSON tags leave out: for some rules,
// and in messages that show values, they are not the same as missing ones.
func encodeWhole(obj runtime.Object) []byte {
	data, err := json.Marshal(obj)
	if err != nil {
		panic(fmt.Sprintf("objects: %T does not encode: %v", obj, err))
	}
	v := reflect.ValueOf(obj)
	if !hasEmpty(v) {
		return data
	}
	content := contentOf(data)
	addEmpty(v, content)
	if data, err = json.Marshal(content); err != nil {
		panic(err)
	}
	return data
}

// contentOf decodes the JSON of an object.
func contentOf(data []byte) map[string]any {
	content := map[string]any{}
	numbers := json.NewDecoder(bytes.NewReader(data))
	numbers.UseNumber()
	if err := numbers.Decode(&content); err != nil {
		panic(fmt.Sprintf("objects: %v", err)) // it comes from an encoder
	}
	return content
}

func isEmpty(v reflect.Value) bool {
	return (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && !v.IsNil() && v.Len() == 0
}

// hasEmpty reports whether a value has an empty list or map somewhere.
func hasEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && hasEmpty(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && hasEmpty(v.Field(i)) {
				return true
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				if hasEmpty(v.Index(i)) {
					return true
				}
			}
		}
	case reflect.Map:
		for values := v.MapRange(); values.Next(); {
			if hasEmpty(values.Value()) {
				return true
			}
		}
	}
	return isEmpty(v)
}

// addEmpty adds to the decoded JSON of a value what its JSON leaves out.
func addEmpty(v reflect.Value, content any) {
	if v.Kind() == reflect.Pointer {
		if !v.IsNil() {
			addEmpty(v.Elem(), content)
		}
		return
	}
	switch c := content.(type) {
	case map[string]any:
		switch v.Kind() {
		case reflect.Struct:
			addEmptyFields(v, c)
		case reflect.Map:
			for values := v.MapRange(); values.Next(); {
				addEmpty(values.Value(), c[values.Key().String()])
			}
		}
	case []any:
		for i := 0; v.Kind() == reflect.Slice && i < min(v.Len(), len(c)); i++ {
			addEmpty(v.Index(i), c[i])
		}
	}
}

func addEmptyFields(v reflect.Value, c map[string]any) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch child := v.Field(i); {
		case !f.IsExported() || name == "-":
		case name == "" && f.Anonymous:
			addEmpty(child, c)
		case !isEmpty(child):
			addEmpty(child, c[name])
		case c[name] == nil && child.Kind() == reflect.Map:
			c[name] = map[string]any{}
		case c[name] == nil:
			c[name] = []any{}
		}
	}
}
