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

	"github.com/admsim/admsim/internal/objects"
)

var WrongType = regexp.MustCompile(`json: cannot unmarshal (number [-+.\deE]+|\S+) .*Go struct field \w*\.(\S+) of type (\S+)$`)

// wrongType is what text, of a decoder, says of a value that does not fit; nil if it does
// not.
func (m Manifest) WrongType(text string, types *objects.Types) *Error {
	found := WrongType.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	path, want := withoutEmbedded(found[2]), GoTypeName(found[3])
	if want == "a mapping" && m.isText(path, types) {
		want = "a string"
	}
	e := m.unfit(path, found[1], want)
	e.Message = fmt.Sprintf("%s: %s", m, e.Message)
	return e
}

// Decode reads m into a form of the caller's; what the form has no field for is not looked at.
// The names of fields are those of the form's, with a small letter first.
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
	e := m.unfit(strings.Join(names, "."), wrong.Value, GoTypeName(wrong.Type.String()))
	e.Err = err
	return e
}

// unfit is the error about the value at a decoder's path that is of another type. value is what the decoder
// calls it: its type, behind which it writes a number that is to be another sort of number.
func (m Manifest) unfit(path, value, want string) *Error {
	e := &Error{Source: m.Layout().AnyItem(path).Or(m.Source)}
	is, format := ATypeOfJSON(value), "%s: %s instead of %s"
	if number, isNumber := strings.CutPrefix(value, "number "); isNumber {
		is = number
		if !strings.ContainsAny(number, ".eE") {
			format = "%[1]s: %[2]s does not fit"
		}
	}
	if exact, ok := m.firstOfType(path, is, want); ok {
		path, e.Source = exact, m.Position(exact)
	}
	e.Message = fmt.Sprintf(format, path, is, want)
	if want == "a string" && (is == "a boolean" || is == "a number") {
		e.Hint = "put it in quotes" // YAML reads n, no and off as booleans, too
	}
	return e
}

// isText reports whether the field at a decoder's path, or what is in its list or map, is a text: one of few
// words has a Go type of its own, whose name is like that of a mapping.
func (m Manifest) isText(path string, types *objects.Types) bool {
	empty, err := json.Marshal(metav1.TypeMeta{APIVersion: m.GroupVersion().String(), Kind: m.Kind})
	if err != nil {
		return false
	}
	object, _, err := types.Decode(empty, m.GroupVersionKind, objects.Ignore)
	if err != nil {
		return false
	}
	t := reflect.TypeOf(object)
	for _, name := range strings.Split(path, ".") {
		if t = jsonFields(itemOf(t))[name]; t == nil {
			return false
		}
	}
	return itemOf(t).Kind() == reflect.String
}

// itemOf is what is in a list or a map, else the type itself.
func itemOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t
}

// withoutEmbedded is a decoder's path without the Go structs that are embedded in others, which no
// manifest shows: webhooks.rules.Rule.apiVersions. Fields of the API begin with a small letter.
func withoutEmbedded(path string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(path, "."), func(name string) bool {
		return name != "" && unicode.IsUpper(rune(name[0]))
	}), ".")
}

// firstOfType adds to a decoder's path the items of lists and the keys of maps that it leaves out: those
// that lead to the first value of a type that is not the wanted one, or that is the very number, which is what
// the decoder speaks of.
func (m Manifest) firstOfType(path, is, want string) (exact string, ok bool) {
	var whole any
	d := json.NewDecoder(bytes.NewReader(m.JSON))
	d.UseNumber()
	if d.Decode(&whole) != nil {
		return "", false
	}
	return firstBelow(whole, "", strings.Split(path, "."), is, want)
}

func firstBelow(v any, at string, names []string, is, want string) (exact string, ok bool) {
	number, _ := v.(json.Number)
	switch has := TypeName(v); {
	case len(names) > 0:
	case has == is, number.String() == is:
		return at, true
	case has == want:
		return "", false // and what is in it is what it is to have
	}
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if exact, ok := firstBelow(item, fmt.Sprintf("%s[%d]", at, i), names, is, want); ok {
				return exact, true
			}
		}
	case map[string]any:
		if len(names) > 0 && v[names[0]] != nil {
			return firstBelow(v[names[0]], strings.TrimPrefix(at+"."+names[0], "."), names[1:], is, want)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if exact, ok := firstBelow(v[key], fmt.Sprintf("%s[%s]", at, key), names, is, want); ok {
				return exact, true
			}
		}
	}
	return "", false
}

// goTypeName is a Go type in the words of a manifest.
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
