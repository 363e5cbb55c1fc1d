package moved

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Mismatch is a value in a place of the release whose type is not that of its field.
type Mismatch struct {
	Path  string // spec.resourceClaims[0].source
	Value string // as Go's JSON decoder names the type of the value: number
	Into  string // the Go struct and the names of all fields on the way: PodResourceClaim.spec.resourceClaims.source
	Type  string // the Go type of the field: v1.ClaimSource
	Want  string // "struct" or "map" if the field is one
	Kind  string // the kind of Go value that the JSON becomes without a Go type: int64
	Err   error  // in place of all but Path: the error of the value's own decoder, which ends the decoding
}

// Fault returns the error about the value.
func (m Mismatch) Fault() error {
	if m.Err != nil {
		return m.Err
	}
	return fmt.Errorf("json: cannot unmarshal %s into Go struct field %s of type %s", m.Value, m.Into, m.Type)
}

// Mismatches returns the values of wrong types in the places of the release. version is that of the object.
func (f Fields) Mismatches(tree any, version string) (found []Mismatch) {
	for _, g := range f.groups {
		g.in.objects(tree, "", func(object map[string]any, at string) {
			for _, p := range g.fields {
				for _, m := range p.mismatches(object, slot{path: at, names: g.in.names()}, version) {
					if !slices.Contains(found, m) { // two fields may have the same first steps
						found = append(found, m)
					}
				}
			}
		})
	}
	return found
}

func (p places) mismatches(object map[string]any, at slot, version string) []Mismatch {
	types := strings.Fields(strings.ReplaceAll(strings.Join(p.types, " "), "VERSION.", version+"."))
	if len(types) == 0 {
		return nil
	}
	return at.member(p.was[0].Name, types[0]).mismatches(object[p.was[0].Name], p.was[1:], types[1:])
}

// A slot is a place for a value.
type slot struct {
	path   string
	within string   // the name of the Go struct
	names  []string // of all fields on the way
}

func (s slot) member(name, within string) slot {
	return slot{s.path + "." + name, within[strings.LastIndex(within, ".")+1:], append(slices.Clone(s.names), name)}
}

// mismatches returns the mismatches in a value. types are those of the value and of the steps below it.
func (s slot) mismatches(value any, below fieldPath, types []string) (found []Mismatch) {
	if value == nil || len(types) == 0 {
		return nil // null is a value of every type
	}
	want := ""
	if len(below) > 0 {
		want = "struct"
		if below[0].In == entries {
			want = "map"
		}
	}
	object, isObject := value.(map[string]any)
	if _, isText := value.(string); want == "" && !isText || want != "" && !isObject {
		name, kind := jsonType(value)
		return []Mismatch{{s.path, name, s.within + "." + strings.Join(s.names, "."), types[0], want, kind, nil}}
	}
	switch want {
	case "struct":
		name := below[0].Name
		return s.member(name, types[0]).mismatches(object[name], below[1:], types[1:])
	case "map":
		for _, key := range slices.Sorted(maps.Keys(object)) {
			entry := s
			entry.path += "." + key
			found = append(found, entry.mismatches(object[key], below[1:], types[1:])...)
		}
	}
	return found
}

// jsonType returns the name of a JSON value's type, and the kind of the Go value that it becomes.
func jsonType(value any) (name, kind string) {
	switch value := value.(type) {
	case map[string]any:
		return "object", "map"
	case []any:
		return "array", "slice"
	case json.Number:
		if _, err := value.Int64(); err != nil {
			return "number", "float64"
		}
		return "number", "int64"
	case bool:
		return "bool", "bool"
	}
	return "string", "string"
}

// names returns the names of the fields in a path.
func (p fieldPath) names() (names []string) {
	for _, s := range p {
		if s.In == member {
			names = append(names, s.Name)
		}
	}
	return names
}
