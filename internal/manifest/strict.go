package manifest

import (
	"reflect"
	"regexp"

	"github.com/admsim/admsim/internal/objects"
)

var strictField = regexp.MustCompile(`(unknown|duplicate) field "([^"]*)"`)

// quotedField is the field that a strict decoder's message is about.
func QuotedField(message string) string {
	if m := strictField.FindStringSubmatch(message); m != nil {
		return m[2]
	}
	return ""
}

// strictErrors are the fields that text, of a strict decoder, speaks of.
func (m Manifest) StrictErrors(text string, types *objects.Types) (all Errors) {
	found := strictField.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return nil
	}
	goType := m.goType(types)
	for _, field := range found {
		hint := ""
		if field[1] == "unknown" {
			hint = fieldHint(goType, field[2])
		}
		all.Add(m.Position(field[2]), hint, "%s: %s field %q", m, field[1], field[2])
	}
	return all
}

// goType is the Go type of the kind, nil if m cannot be decoded.
func (m Manifest) goType(types *objects.Types) reflect.Type {
	object, _, err := types.Decode(m.JSON, m.GroupVersionKind, objects.Ignore)
	if err != nil {
		return nil
	}
	return reflect.TypeOf(object)
}
