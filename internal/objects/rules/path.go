package rules

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Located runs a check at that path. Building paths costs more than most checks, and objects are rarely invalid. So
// check is first run without a path, and only run again with the path if it finds anything. It must have the same
// result each time, and must extend the path with [Child] and [Nth].
func Located(at *field.Path, check func(at *field.Path) field.ErrorList) field.ErrorList {
	if len(check(nil)) == 0 {
		return nil
	}
	return check(at)
}

// Child returns the path of a field, or nil if paths are not needed.
func Child(at *field.Path, name string, more ...string) *field.Path {
	if at == nil {
		return nil
	}
	return at.Child(name, more...)
}

// Nth returns the path of an item of a list, or nil if paths are not needed.
func Nth(at *field.Path, i int) *field.Path {
	if at == nil {
		return nil
	}
	return at.Index(i)
}

// Keyed returns the path of an entry of a map, or nil if paths are not needed.
func Keyed(at *field.Path, key string) *field.Path {
	if at == nil {
		return nil
	}
	return at.Key(key)
}

var SpecPath = field.NewPath("spec")
