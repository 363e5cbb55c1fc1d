package objects

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Absent says when a field of a built-in kind came or went if the release does not have it, but another one has: came
// with Kubernetes 1.31. path is that of the field, such as spec.containers[].image, with any indices.
func (t *Types) Absent(kind schema.GroupVersionKind, path string) string {
	if text := t.options.Release.AbsentPlace(kind.GroupKind(), path); text != "" {
		return text
	}
	of := builtin.Type(kind)
	path, name := lastField(path)
	for path != "" && of != nil {
		var first string
		first, path = firstField(path)
		of = fieldType(of, first)
	}
	return t.absentIn(of, name)
}

// absentIn is Absent for a field of a type, or of a struct that it embeds.
func (t *Types) absentIn(of reflect.Type, name string) string {
	if of = structOf(of); of == nil {
		return ""
	}
	if model, ok := rules.OpenAPIName(of); ok {
		if text := t.options.Release.Absent(model, name); text != "" {
			return text
		}
	}
	for f := range of.Fields() {
		if jsonName(f) == "" {
			if text := t.absentIn(f.Type, name); text != "" {
				return text
			}
		}
	}
	return ""
}

// lastField returns the name of the last field of a path, and the path before it.
func lastField(path string) (before, name string) {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)], path[i+1:]
}

// firstField returns the name of the first field of a path, or [] for an element of a list or map, and the path after it.
func firstField(path string) (name, rest string) {
	if strings.HasPrefix(path, "[") {
		_, rest, _ = strings.Cut(path, "]")
		return "[]", strings.TrimPrefix(rest, ".")
	}
	i := strings.IndexAny(path, ".[")
	if i < 0 {
		return path, ""
	}
	return path[:i], strings.TrimPrefix(path[i:], ".")
}

// fieldType returns the type of a field of t, or of the elements of t for []; nil if it has none. The fields of a list
// are those of its elements.
func fieldType(t reflect.Type, name string) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if name == "[]" {
		if t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			return t.Elem()
		}
		return nil
	}
	if t = structOf(t); t == nil {
		return nil
	}
	for f := range t.Fields() {
		switch jsonName(f) {
		case name:
			return f.Type
		case "":
			if of := structOf(f.Type); of != nil {
				if found := fieldType(of, name); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

// structOf returns a struct for a pointer to it or a list of it; nil for other types.
func structOf(t reflect.Type) reflect.Type {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	return t
}

// jsonName returns the name of a field in JSON; empty if it is embedded, and "-" if it is not written.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !f.IsExported() || name == "" && !f.Anonymous {
		return "-"
	}
	return name
}
