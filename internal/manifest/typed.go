package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/didyoumean"
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
		*v.Errs = append(*v.Errs, &Error{
			Source: at.Source(), Message: fmt.Sprintf("unknown key %q", at.Path), Hint: FieldHint(reflect.TypeFor[T](), field.FieldPath(), InCluster),
			Err: &UnknownField{Path: at.Path},
		})
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

// hasField reports whether a Go type has a field at a path. If it is unknown all the same, only later releases have it.
func hasField(t reflect.Type, path string) bool {
	in, name, _ := fieldAt(t, path)
	return in != nil && builtin.Fields(in)[name] != nil
}

// InCluster is how to have a field of an object in the cluster ignored that the release does not have.
const InCluster = "--allow-unknown"

// leaveOut says what to do about a field that the release does not have. ignored is how to have it ignored, empty if it is
// ignored already.
func leaveOut(ignored string) string {
	if ignored == "" {
		return "leave it out, or see --kubernetes-version"
	}
	return "leave it out, or see --kubernetes-version and " + ignored
}

// FieldHint suggests the field of a Go type that the last name of an unknown path was probably meant to be.
func FieldHint(t reflect.Type, path, ignored string) string {
	_, hint := meantField(t, path, ignored)
	return hint
}

// meantField returns the name that the last one of an unknown path was probably meant to be, and the hint of [FieldHint].
func meantField(t reflect.Type, path, ignored string) (meant, hint string) {
	t, unknown, around := fieldAt(t, path)
	if t == nil {
		return "", ""
	}
	if _, known := builtin.Fields(t)[unknown]; known {
		return "", "this Kubernetes release does not have the field: " + leaveOut(ignored)
	}
	if in := fieldsWith(t, unknown); len(in) > 0 && len(in) <= 3 {
		return "", fmt.Sprintf("%s is a field of %s: is it indented right?", unknown, strings.Join(in, " or "))
	}
	if around != "" {
		return "", fmt.Sprintf("%s is a field beside %s: is it indented right?", unknown, around)
	}
	meant = didyoumean.Nearest(unknown, slices.Sorted(maps.Keys(builtin.Fields(t))))
	return meant, didYouMean(meant)
}

// fieldAt returns the struct that the last name of a path is a field of, nil if it is not known, and this name. around is
// the last field on the way that has a field of this name beside it.
func fieldAt(t reflect.Type, path string) (in reflect.Type, last, around string) {
	steps := builtin.Steps(path)
	last = steps[len(steps)-1]
	for _, step := range steps[:len(steps)-1] {
		if builtin.Fields(t)[last] != nil && last != "name" { // too common
			around = step
		}
		if t = builtin.Step(t, step); t == nil {
			return nil, last, ""
		}
	}
	if len(builtin.Fields(t)) == 0 {
		return nil, last, ""
	}
	return t, last, around
}

// fieldsWith returns the fields of a struct whose value, or whose items, have a field of that name.
func fieldsWith(t reflect.Type, name string) (in []string) {
	fields := builtin.Fields(t)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		inner := fields[field]
		if items := builtin.Step(inner, "[]"); items != nil {
			inner = items
		}
		if builtin.Fields(inner)[name] != nil {
			in = append(in, field)
		}
	}
	return in
}
