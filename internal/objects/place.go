package objects

import "k8s.io/apimachinery/pkg/util/validation/field"

// located checks something at that path. Paths cost more than most checks do, and hardly an
// object has anything wrong in it: so check looks without any path first, and says where only
// if there is something to be said. It has to be the same each time, and to go down with
// [child] and [nth].
func located(at *field.Path, check func(at *field.Path) field.ErrorList) field.ErrorList {
	if len(check(nil)) == 0 {
		return nil
	}
	return check(at)
}

// child is the path of a field; nil where nobody asks for paths.
func child(at *field.Path, name string, more ...string) *field.Path {
	if at == nil {
		return nil
	}
	return at.Child(name, more...)
}

// nth is the path of an item of a list; nil where nobody asks for paths.
func nth(at *field.Path, i int) *field.Path {
	if at == nil {
		return nil
	}
	return at.Index(i)
}

// keyed is the path of an entry of a map; nil where nobody asks for paths.
func keyed(at *field.Path, key string) *field.Path {
	if at == nil {
		return nil
	}
	return at.Key(key)
}
