package rules

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Located checks something at that path. Paths cost more than most checks do, and hardly an
// object has anything wrong in it: so check looks without any path first, and says where only
// if there is something to be said. It has to be the same each time, and to go down with
// [Child] and [Nth].
func Located(at *field.Path, check func(at *field.Path) field.ErrorList) field.ErrorList {
	if len(check(nil)) == 0 {
		return nil
	}
	return check(at)
}

// Child returns the path of a field; nil if paths are not needed.
func Child(at *field.Path, name string, more ...string) *field.Path {
	if at == nil {
		return nil
	}
	return at.Child(name, more...)
}

// Nth returns the path of an item of a list; nil if paths are not needed.
func Nth(at *field.Path, i int) *field.Path {
	if at == nil {
		return nil
	}
	return at.Index(i)
}

// Keyed returns the path of an entry of a map; nil if paths are not needed.
func Keyed(at *field.Path, key string) *field.Path {
	if at == nil {
		return nil
	}
	return at.Key(key)
}

var SpecPath = field.NewPath("spec")
