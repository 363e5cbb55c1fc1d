package objects

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
)

// Absent says when a field of a built-in kind came or went if the release does not have it, but another one has: came
// with Kubernetes 1.31. path is that of the field, such as spec.containers[].image, with any indices.
func (t *Types) Absent(kind schema.GroupVersionKind, path string) string {
	if text := t.options.Release.AbsentPlace(kind.GroupKind(), path); text != "" {
		return text
	}
	steps := builtin.Steps(path)
	of := builtin.Type(kind)
	for _, step := range steps[:len(steps)-1] {
		of = builtin.Step(of, step)
	}
	return t.absentIn(of, steps[len(steps)-1])
}

// absentIn is Absent for a field of a type, or of a struct that it embeds.
func (t *Types) absentIn(of reflect.Type, name string) string {
	for of != nil && (of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice) {
		of = of.Elem()
	}
	if of == nil || of.Kind() != reflect.Struct {
		return ""
	}
	if model, ok := builtin.OpenAPIName(of); ok {
		if text := t.options.Release.Absent(model, name); text != "" {
			return text
		}
	}
	for _, embedded := range builtin.Embedded(of) {
		if text := t.absentIn(embedded, name); text != "" {
			return text
		}
	}
	return ""
}
