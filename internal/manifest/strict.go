package manifest

import (
	"reflect"
	"regexp"

	"github.com/admsim/admsim/internal/objects"
)

var strictField = regexp.MustCompile(`(unknown|duplicate) field "([^"]*)"`)

// QuotedField returns the field that a message of a strict decoder is about.
func QuotedField(message string) string {
	if m := strictField.FindStringSubmatch(message); m != nil {
		return m[2]
	}
	return ""
}

// StrictErrors returns an error for each field in a message of a strict decoder.
func (m Manifest) StrictErrors(text string, types *objects.Types) (all Errors) {
	found := strictField.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return nil
	}
	goType := m.goType(types)
	for _, field := range found {
		hint := ""
		if field[1] == "unknown" {
			hint = FieldHint(goType, field[2])
		}
		all.Add(m.Position(field[2]), hint, "%s: %s field %q", m, field[1], field[2])
	}
	return all
}

// goType returns the Go type of the kind, nil if m cannot be decoded.
func (m Manifest) goType(types *objects.Types) reflect.Type {
	object, _, err := types.Decode(m.JSON, m.GroupVersionKind, objects.Ignore)
	if err != nil {
		return nil
	}
	return reflect.TypeOf(object)
}
