package builtin

import (
	"reflect"
	"regexp"
	"strings"
	"sync"
)

// Fields returns the types of the fields of a struct, or of a pointer to one, by their names in JSON. Those of embedded
// structs are among them. Other types have none.
func Fields(t reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	if t = target(t); t == nil || t.Kind() != reflect.Struct {
		return all
	}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case name == "" && (f.Anonymous || strings.Contains(options, "inline")):
			for n, inner := range Fields(f.Type) {
				all[n] = inner
			}
		case name != "":
			all[name] = f.Type
		}
	}
	return all
}

// Embedded returns the types that a struct embeds, without a name in JSON.
func Embedded(t reflect.Type) (all []reflect.Type) {
	for f := range t.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.Anonymous && name == "" {
			all = append(all, f.Type)
		}
	}
	return all
}

// Steps returns the names in the path of a field, such as spec.containers[0].image, with [] for each index.
func Steps(path string) []string {
	return strings.Split(ReplaceIndices(path, ".[]"), ".")
}

// ReplaceIndices returns a path with text in place of each index of a list, such as [0], and of each key of a map.
func ReplaceIndices(path, text string) string { return anyIndex().ReplaceAllLiteralString(path, text) }

var anyIndex = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[[^\]]*\]`) })

// Step returns the type of a field of t, or of the elements of t if the step is []; nil if there is none. Any step leads
// to the elements of a map. The fields of a list are those of its elements, since some paths have no indices.
func Step(t reflect.Type, step string) reflect.Type {
	t = target(t)
	switch {
	case t == nil:
		return nil
	case t.Kind() == reflect.Map || step == "[]" && t.Kind() == reflect.Slice:
		return t.Elem()
	case t.Kind() == reflect.Slice:
		return Step(t.Elem(), step)
	}
	return Fields(t)[step]
}

// target returns what a pointer points to, or else the type itself.
func target(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
