package redact

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Without returns v without the secrets that p has found, in any text in it: in exported fields of structs, in maps,
// lists and JSON. It does not change v, and keeps errors and what identifies objects as they are.
func Without[T any](p *Pass, v T) T {
	out := reflect.New(reflect.TypeFor[T]()).Elem()
	out.Set(p.without(reflect.ValueOf(&v).Elem()))
	return out.Interface().(T)
}

var rawType = reflect.TypeFor[json.RawMessage]()

func (p *Pass) without(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		if text := p.Text(v.String()); text != v.String() {
			return reflect.ValueOf(text).Convert(v.Type())
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Type().Elem().Kind() == reflect.Struct {
			out := reflect.New(v.Type().Elem())
			out.Elem().Set(p.without(v.Elem()))
			return out
		}
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			field := v.Type().Field(i)
			switch {
			case !field.IsExported() || isIdentifyingField(field.Name):
			case field.Name == "Path" && strings.HasPrefix(v.Field(i).String(), "/"): // of a change
				out.Field(i).SetString(p.pointer(v.Field(i).String()))
			default:
				out.Field(i).Set(p.without(v.Field(i)))
			}
		}
		return out
	case reflect.Slice:
		if v.Type() == rawType {
			return reflect.ValueOf(p.raw(v.Bytes()))
		}
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(p.without(v.Index(i)))
		}
		return out
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for entries := v.MapRange(); entries.Next(); {
			out.SetMapIndex(p.without(entries.Key()), p.without(entries.Value()))
		}
		return out
	case reflect.Interface:
		switch value := v.Interface().(type) {
		case string, map[string]any, []any, json.Number:
			return reflect.ValueOf(p.Texts(value))
		}
	}
	return v
}

// isIdentifyingField reports whether a field of structs says what a result is about.
func isIdentifyingField(name string) bool {
	switch name {
	case "TypeMeta", "APIVersion", "Kind", "Namespace", "Name", "Label", "Source",
		"Verb", "Operation", "Resource", "Subresource", "Username", "Groups",
		"Plugin", "Configuration", "Policy", "Binding", "BindingSource", "Param":
		return true
	}
	return false
}

// raw returns JSON without secrets; invalid JSON is treated as text.
func (p *Pass) raw(text json.RawMessage) json.RawMessage {
	if len(text) == 0 {
		return text
	}
	var value any
	if decode(text, &value) != nil {
		return json.RawMessage(p.Text(string(text)))
	}
	hidden := p.Texts(value)
	if reflect.DeepEqual(value, hidden) {
		return text
	}
	redacted, err := json.Marshal(hidden)
	if err != nil {
		return json.RawMessage(`"REDACTED"`)
	}
	return redacted
}
