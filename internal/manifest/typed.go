package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	kjson "sigs.k8s.io/json"
)

// DecodeField decodes a field that is a type of the Kubernetes API, and reports unknown fields. It returns nil if the
// field is absent or of another type.
func DecodeField[T any](v Value) *T {
	if !v.Given() {
		return nil
	}
	out := new(T)
	strict, err := kjson.UnmarshalStrict(v.Raw(), out, kjson.DisallowUnknownFields)
	if err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			at := v
			at.Path = strings.TrimPrefix(v.Path+"."+wrong.Field, ".")

			at.Errorf("", "%s does not fit", ATypeOfJSON(wrong.Value))
			return nil
		}
		v.Errorf("", "%v", err)
		return nil
	}
	for _, err := range strict {
		var field kjson.FieldError
		if !errors.As(err, &field) {
			v.Errorf("", "%v", err)
			continue
		}
		at := v.Below(field.FieldPath())
		v.Errs.Add(at.Source(), FieldHint(reflect.TypeFor[T](), field.FieldPath()), "unknown key %q", at.Path)
	}
	return out
}

// Below returns v with a longer path, for its place.
func (v Value) Below(path string) Value {
	v.Path = strings.Trim(v.Path+"."+path, ".")
	return v
}

func ATypeOfJSON(name string) string {
	switch name, _, _ = strings.Cut(name, " "); name {
	case "object":
		return "a mapping"
	case "array":
		return "a list"
	case "bool":
		return "a boolean"
	}
	return "a " + name
}

func OrZero[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

var pathIndex = regexp.MustCompile(`\[[^\]]*\]`)

// hasField reports whether a Go type has a field at a path. If it is unknown all the same, only later releases have it.
func hasField(t reflect.Type, path string) bool {
	in, name, _ := fieldAt(t, path)
	return in != nil && jsonFields(in)[name] != nil
}

// leaveOut says what to do about a field that the release does not have.
const leaveOut = "leave it out, or see --kubernetes-version and --allow-unknown"

// FieldHint suggests the field of a Go type that the last name of an unknown path was probably meant to be.
func FieldHint(t reflect.Type, path string) string {
	t, unknown, around := fieldAt(t, path)
	if t == nil {
		return ""
	}
	if _, known := jsonFields(t)[unknown]; known {
		return "this Kubernetes release does not have the field, and ignores it: " + leaveOut
	}
	if in := fieldsWith(t, unknown); len(in) > 0 && len(in) <= 3 {
		return fmt.Sprintf("%s is a field of %s: is it indented right?", unknown, strings.Join(in, " or "))
	}
	if around != "" {
		return fmt.Sprintf("%s is a field beside %s: is it indented right?", unknown, around)
	}
	return DidYouMean(unknown, slices.Sorted(maps.Keys(jsonFields(t))))
}

// fieldAt returns the struct that the last name of a path is a field of, nil if it is not known, and this name. around is
// the last field on the way that has a field of this name beside it.
func fieldAt(t reflect.Type, path string) (in reflect.Type, last, around string) {
	names := strings.Split(pathIndex.ReplaceAllString(path, ".[]"), ".")
	last = names[len(names)-1]
	for _, name := range names[:len(names)-1] {
		if t = elem(t); t == nil {
			return nil, last, ""
		}
		if t.Kind() == reflect.Struct && jsonFields(t)[last] != nil && last != "name" { // too common
			around = name
		}
		switch {
		case name == "[]" || t.Kind() == reflect.Map:
			if t.Kind() != reflect.Slice && t.Kind() != reflect.Map {
				return nil, last, ""
			}
			t = t.Elem()
		default:
			f, ok := jsonFields(t)[name]
			if !ok {
				return nil, last, ""
			}
			t = f
		}
	}
	if t = elem(t); t == nil || t.Kind() != reflect.Struct {
		return nil, last, ""
	}
	return t, last, around
}

// fieldsWith returns the fields of a struct whose value, or whose items, have a field of that name.
func fieldsWith(t reflect.Type, name string) (in []string) {
	fields := jsonFields(t)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		inner := elem(fields[field])
		if inner.Kind() == reflect.Slice {
			inner = elem(inner.Elem())
		}
		if inner.Kind() == reflect.Struct && jsonFields(inner)[name] != nil {
			in = append(in, field)
		}
	}
	return in
}

func elem(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// jsonFields returns the fields of a struct by their JSON names, including those of embedded structs.
func jsonFields(t reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	if t = elem(t); t.Kind() != reflect.Struct {
		return all
	}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case name == "" && (f.Anonymous || strings.Contains(options, "inline")):
			for n, inner := range jsonFields(f.Type) {
				all[n] = inner
			}
		case name != "":
			all[name] = f.Type
		}
	}
	return all
}
