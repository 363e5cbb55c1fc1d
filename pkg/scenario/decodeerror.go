package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/admsim/admsim/internal/lazyregexp"
	"github.com/admsim/admsim/pkg/objects"
)

var (
	strictField = lazyregexp.New(`(unknown|duplicate) field "([^"]*)"`)
	wrongType   = lazyregexp.New(`json: cannot unmarshal (\S+) .*Go struct field \w+\.(\S+) of type (\S+)$`)
)

// quotedField is the field that a strict decoder's message is about.
func quotedField(message string) string {
	if m := strictField().FindStringSubmatch(message); m != nil {
		return m[2]
	}
	return ""
}

// decodeErrors finds the places that the server's answer to a body that cannot be read
// speaks of.
func (x *objectRead) decodeErrors(err error) {
	text := err.Error()
	if _, strict, is := strings.Cut(text, "strict decoding error: "); is {
		for _, m := range strictField().FindAllStringSubmatch(strict, -1) {
			x.errs.add(x.of.Position(m[2]), x.hintForField(m[2]), "%s: %s field %q", x.of, m[1], m[2])
		}
		if len(x.errs) > 0 {
			return
		}
	}
	if m := wrongType().FindStringSubmatch(text); m != nil {
		at := x.of.layout().anyItem(m[2]).or(x.of.Source)
		hint := ""
		if m[3] == "string" && (m[1] == "bool" || strings.HasPrefix(m[1], "number")) {
			hint = "put it in quotes" // YAML reads n, no and off as booleans, too
		}
		x.errs = append(x.errs, &Error{
			Source: at, Err: err,
			Message: fmt.Sprintf("%s: %s: %s instead of %s", x.of, m[2], aTypeOfJSON(m[1]), goTypeName(m[3])),
			Hint:    hint,
		})
		return
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Details != nil {
		for _, c := range status.Status().Details.Causes {
			x.errs.add(x.of.Position(c.Field), "", "%s: %s: %s", x.of, c.Field, c.Message)
		}
		if len(x.errs) > 0 {
			return
		}
	}
	x.errs = append(x.errs, &Error{Source: x.of.Source, Message: fmt.Sprintf("%s: %v", x.of, err), Err: err})
}

// hintForField names a field of the kind's Go type near the last one of path.
func (x *objectRead) hintForField(path string) string {
	object, _, err := x.types.Decode(x.of.JSON, x.of.GroupVersionKind, objects.Ignore)
	if err != nil {
		return ""
	}
	return fieldHint(reflect.TypeOf(object), path)
}

// anyItem is find for a path that does not say which items of lists it goes through. Where
// several could be meant, it ends before them.
func (n *node) anyItem(path string) place {
	if n == nil {
		return place{}
	}
	at := n.place
	for _, name := range strings.Split(path, ".") {
		var has []field
		for _, one := range append([]*node{n}, n.items...) {
			if one == nil {
				continue
			}
			if f, ok := one.field(name); ok {
				has = append(has, f)
			}
		}
		if len(has) != 1 || has[0].value == nil {
			break
		}
		n, at = has[0].value, has[0].key
	}
	return at
}

// goTypeName is a Go type in the words of a manifest.
func goTypeName(name string) string {
	switch {
	case strings.HasPrefix(name, "[]byte"), strings.HasPrefix(name, "[]uint8"):
		return "a string in base64"
	case strings.HasPrefix(name, "[]"):
		return "a list"
	case strings.HasPrefix(name, "map["), strings.Contains(name, "."):
		return "a mapping"
	case name == "bool":
		return "true or false"
	case strings.HasPrefix(name, "int"), strings.HasPrefix(name, "uint"):
		return "a whole number"
	case strings.HasPrefix(name, "float"):
		return "a number"
	}
	return "a " + name
}
