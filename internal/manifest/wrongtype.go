package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
	e := m.unfit(strings.Join(names, "."), wrong.Value, GoTypeName(wrong.Type.String()))
	e.Err = err
	return e
}

// unfit returns the error for a value of the wrong type at a decoder's path. value is the decoder's name for it: its type,
// followed by the number if the value should be another sort of number.
func (m Manifest) unfit(path, value, want string) *Error {
	e := &Error{Source: m.Layout().AnyItem(path).Or(m.Source)}
	is := ATypeOfJSON(value)
	if number, isNumber := strings.CutPrefix(value, "number "); isNumber {
		is = number
	}
	if exact, ok := m.firstOfType(path, is, want); ok {
		path, e.Source = exact, m.Position(exact)
	}
	e.Message, e.Hint = instead(path, is, want)
	return e
}

// firstOfType adds to a decoder's path the indexes of lists and keys of maps that it leaves out. They lead to the first
// value that does not have the wanted type, or that is the number in the message, which is the value that the decoder
// means.
func (m Manifest) firstOfType(path, is, want string) (exact string, ok bool) {
	var whole any
	d := json.NewDecoder(bytes.NewReader(m.JSON))
	d.UseNumber()
	if d.Decode(&whole) != nil {
		return "", false
	}
	return firstBelow(whole, "", strings.Split(path, "."), is, want)
}

// firstBelow returns the path of the value in v.
func firstBelow(v any, at string, names []string, is, want string) (exact string, ok bool) {
	number, _ := v.(json.Number)
	switch has := TypeName(v); {
	case len(names) > 0:
	case has == is, number.String() == is:
		return at, true
	case has == want:
		return "", false // all its values have the wanted type
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
