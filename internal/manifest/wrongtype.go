package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects"
)

var WrongType = regexp.MustCompile(`json: cannot unmarshal (number [-+.\deE]+|\S+) .*Go struct field \w*\.(\S+) of type (\S+)$`)

// mostWrong is how many values of the wrong type are looked for in one object.
const mostWrong = 20

// WrongTypes returns an error for each value of the wrong type. A decoder's message only describes the first: the others
// are found by decoding m without it. There are none if the message is about something else. rest is m without them all.
func (m Manifest) WrongTypes(text string, types *objects.Types) (all Errors, rest Manifest) {
	for len(all) < mostWrong {
		e, without := m.wrongType(text, types)
		if e == nil {
			break
		}
		all = append(all, e)
		if without == nil {
			break
		}
		m.JSON = without
		_, _, err := types.Decode(m.JSON, m.GroupVersionKind, objects.Ignore)
		if err == nil {
			break
		}
		text = err.Error()
	}
	return all, m
}

// wrongType returns the error that a decoder's message describes, and the JSON of m with null instead of the value, if
// it is found.
func (m Manifest) wrongType(text string, types *objects.Types) (*Error, []byte) {
	found := WrongType.FindStringSubmatch(text)
	if found == nil {
		return nil, nil
	}
	path, want := withoutEmbedded(found[2]), GoTypeName(found[3])
	depth := 0
	if field := m.fieldType(path, types); field != nil {
		var wanted reflect.Type
		if wanted, depth = elementNamed(field, found[3]); wanted != nil && wanted.Kind() == reflect.String {
			want = "a string" // an enumeration, whose name looks like that of a mapping
		}
	}
	e, without := m.unfit(path, found[1], want, depth)
	e.Message = fmt.Sprintf("%s: %s", m, e.Message)
	return e, without
}

// Decode reads m into a struct of the caller's; fields that the struct does not have are ignored. Fields have the names
// of the struct's fields, with a lower-case first letter.
func (m Manifest) Decode(form any) error {
	err := json.Unmarshal(m.JSON, form)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &wrong):
		return &Error{Source: m.Source, Message: err.Error(), Err: err}
	}
	names := strings.Split(wrong.Field, ".")
	for i, name := range names {
		names[i] = strings.ToLower(name[:min(1, len(name))]) + name[min(1, len(name)):]
	}
	e, _ := m.unfit(strings.Join(names, "."), wrong.Value, GoTypeName(wrong.Type.String()), 0)
	e.Err = err
	return e
}

// unfit returns the error for a value of the wrong type at a decoder's path, or depth lists and maps below it. value is the
// decoder's name for it: its type, followed by the number if the value should be another sort of number. without is the
// JSON of m with null instead of the value; nil if it is not found.
func (m Manifest) unfit(path, value, want string, depth int) (e *Error, without []byte) {
	e = &Error{Source: m.Layout().AnyItem(path).Or(m.Source)}
	is, format := ATypeOfJSON(value), "%s: %s instead of %s"
	if number, isNumber := strings.CutPrefix(value, "number "); isNumber {
		is = number
		if !strings.ContainsAny(number, ".eE") {
			format = "%[1]s: %[2]s does not fit"
		}
	}
	if exact, whole, ok := m.firstOfType(path, depth, is, want); ok {
		path, e.Source, without = exact, m.Position(exact), Encode(whole)
	}
	e.Message = fmt.Sprintf(format, path, is, want)
	if want == "a string" && (is == "a boolean" || is == "a number") {
		e.Hint = "put it in quotes" // YAML reads n, no and off as booleans, too
	}
	return e, without
}

// fieldType returns the Go type of the field at a decoder's path, nil if it is not known.
func (m Manifest) fieldType(path string, types *objects.Types) reflect.Type {
	empty, err := json.Marshal(metav1.TypeMeta{APIVersion: m.GroupVersion().String(), Kind: m.Kind})
	if err != nil {
		return nil
	}
	object, _, err := types.Decode(empty, m.GroupVersionKind, objects.Ignore)
	if err != nil {
		return nil
	}
	t := reflect.TypeOf(object)
	for _, name := range strings.Split(path, ".") {
		if t = builtin.Fields(itemOf(t))[name]; t == nil {
			return nil
		}
	}
	return t
}

// itemOf returns the element type of a list or map, or else the type itself.
func itemOf(t reflect.Type) reflect.Type {
	for hasElements(t) {
		t = t.Elem()
	}
	return t
}

func hasElements(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map
}

// elementNamed returns the type with a name: t, or that of the elements of its lists and maps, of which there are depth
// around it. It is nil if there is none.
func elementNamed(t reflect.Type, name string) (element reflect.Type, depth int) {
	for t.String() != name {
		if !hasElements(t) {
			return nil, 0
		}
		if t.Kind() != reflect.Pointer {
			depth++
		}
		t = t.Elem()
	}
	return t, depth
}

// withoutEmbedded removes Go structs that are embedded in others from a decoder's path, since no manifest shows them:
// webhooks.rules.Rule.apiVersions. Fields of the API begin with a lower-case letter.
func withoutEmbedded(path string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(path, "."), func(name string) bool {
		return name != "" && unicode.IsUpper(rune(name[0]))
	}), ".")
}

// firstOfType adds to a decoder's path the indexes of lists and keys of maps that it leaves out; at least depth of them
// follow the path. They lead to the first value that does not have the wanted type, or that is the number in the message,
// which is the value that the decoder means. without is the whole object with null instead of it.
func (m Manifest) firstOfType(path string, depth int, is, want string) (exact string, without any, ok bool) {
	var whole any
	d := json.NewDecoder(bytes.NewReader(m.JSON))
	d.UseNumber()
	if d.Decode(&whole) != nil {
		return "", nil, false
	}
	clear, exact, ok := firstBelow(whole, "", strings.Split(path, "."), depth, is, want, func() { whole = nil })
	if ok {
		clear()
	}
	return exact, whole, ok
}

// firstBelow returns the path of the value in v, and how to replace it by null. clear does that for v itself.
func firstBelow(v any, at string, names []string, depth int, is, want string, clear func()) (clears func(), exact string, ok bool) {
	number, _ := v.(json.Number)
	below := depth // of the elements of v
	if len(names) == 0 {
		below = max(depth-1, 0)
	}
	switch has := TypeName(v); {
	case len(names) > 0, depth > 0:
	case has == is, number.String() == is:
		return clear, at, true
	case has == want:
		return nil, "", false // all its values have the wanted type
	}
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if clears, exact, ok := firstBelow(item, fmt.Sprintf("%s[%d]", at, i), names, below, is, want, func() { v[i] = nil }); ok {
				return clears, exact, true
			}
		}
	case map[string]any:
		if len(names) > 0 && v[names[0]] != nil {
			return firstBelow(v[names[0]], strings.TrimPrefix(at+"."+names[0], "."), names[1:], depth, is, want, func() { v[names[0]] = nil })
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if clears, exact, ok := firstBelow(v[key], fmt.Sprintf("%s[%s]", at, key), names, below, is, want, func() { v[key] = nil }); ok {
				return clears, exact, true
			}
		}
	}
	return nil, "", false
}

// GoTypeName describes a Go type in the words of a manifest.
func GoTypeName(name string) string {
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
