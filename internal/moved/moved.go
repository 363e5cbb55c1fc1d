// Package moved handles fields that a release has in another place than the Go types, which are those of the newest
// release. It moves their values in the JSON of an object, in both directions: [Fields.ToTypes] is for what a client of
// the release sends, [Fields.ToRelease] for what it receives. Fields that the types do not have at all are kept in
// annotations ([Kept]).
//
// The fields themselves are listed in package kubeversion.
package moved

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A field is a moved field. Its paths consist of field names. Each name may be followed by one of these:
//
//   - [] stands for every item of a list,
//   - {} stands for every entry of a map,
//   - [name] stands for every item of a list that is a map in the other place. The items have their key in the field
//     with this name.
type field struct {
	// In is the path of the objects that contain both places: spec.devices[]. Was and Is are paths within these
	// objects. Was is the place in the release: nodeAllocatableResourceMappings{}.capacityKey. Is is the place in the
	// types: nodeAllocatableResources{}.mapping.capacityKey. It is empty for a field that the types do not have. The
	// objects at In then have metadata, and Was consists of names only.
	In, Was, Is string
	// Types are the names of Go types in the release, separated by spaces: that of the objects at In, and one for each
	// step of Was. The last one may be missing if the field has the same type in its new place, with a reader of its own.
	// VERSION stands for the version of the object. Without Is, this is the name of the type that has the field, and Model
	// is the name of this type in OpenAPI.
	Types, Model string
	// Always means that the release writes the first field of Was even if there is no value; then it is null. Atomic
	// means that the release treats the list that In ends with as one value.
	Always, Atomic bool
}

// Fields holds all moved fields of one kind. The zero value is for kinds without moved fields.
type Fields struct {
	groups    []group
	kept      []keptField
	keptNames []string // the names of kept, each once
}

// A group holds the moved fields that a release has within the same field of an object.
type group struct {
	in      fieldPath
	was, is string // the first names of both places
	always  bool   // the release always writes its first field
	atomic  bool   // the release treats the list of the objects as one value
	fields  []places
}

type places struct {
	was, is fieldPath
	types   []string // of the object that contains was, and of each of its steps
}

// New returns the Fields for a list of moved fields. F may be any type with the same fields as [field].
func New[F ~struct {
	In, Was, Is    string
	Types, Model   string
	Always, Atomic bool
}](fields ...F) Fields {
	var all Fields
	for _, f := range fields {
		f := field(f)
		if f.Is == "" {
			was := parsePath(f.Was)
			all.kept = append(all.kept, keptField{parsePath(f.In), was, Key(was.String()), Owner{f.Types, f.Model}})
			if !slices.Contains(all.keptNames, was.last()) {
				all.keptNames = append(all.keptNames, was.last())
			}
			continue
		}
		in, p := parsePath(f.In), places{parsePath(f.Was), parsePath(f.Is), strings.Fields(f.Types)}
		i := slices.IndexFunc(all.groups, func(g group) bool { return slices.Equal(g.in, in) && g.was == p.was[0].Name })
		if i < 0 {
			i = len(all.groups)
			all.groups = append(all.groups, group{in: in, was: p.was[0].Name, is: p.is[0].Name})
		}
		all.groups[i].always = all.groups[i].always || f.Always
		all.groups[i].atomic = all.groups[i].atomic || f.Atomic
		all.groups[i].fields = append(all.groups[i].fields, p)
	}
	return all
}

// None reports whether no field has moved.
func (f Fields) None() bool { return len(f.groups)+len(f.kept) == 0 }

// Hidden returns the paths of the fields that exist in the types but not in the release, which has their values
// elsewhere: spec.resourceClaims[].resourceClaimName.
func (f Fields) Hidden() []string {
	var paths []string
	for _, g := range f.groups {
		for _, p := range g.fields {
			path := g.in.String() + "." + p.is[0].Name
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// Touches reports whether any field has moved within this top-level field of an object. It may be a field of metadata:
// metadata.annotations.
func (f Fields) Touches(name string) bool {
	return slices.ContainsFunc(f.groups, func(g group) bool { return g.in[0].Name == name }) ||
		slices.ContainsFunc(f.kept, func(k keptField) bool { return k.touches(name) })
}

// Begins reports whether the release has moved fields within the named field of the objects at a path. Fields that the
// types do not have in any place do not count.
func (f Fields) Begins(path, name string) bool {
	return slices.ContainsFunc(f.groups, func(g group) bool { return g.was == name && g.in.String() == path })
}

// IsAtomic reports whether the list at a path is one value to the release: status.nodeAllocatableResourceClaimStatuses.
func (f Fields) IsAtomic(path string) bool {
	return slices.ContainsFunc(f.groups, func(g group) bool { return g.atomic && g.in.String() == path+"[]" })
}

// ToTypes moves values from the places of the release to those of the types. unknown are the paths of other fields in
// the places of the release, which do not exist. found reports whether the tree has any place of the release.
func (f Fields) ToTypes(tree any) (unknown []string, found bool) {
	for _, g := range f.groups {
		g.in.objects(tree, "", func(object map[string]any, at string) {
			was, ok := object[g.was]
			if !ok {
				return
			}
			found = true
			for _, p := range g.fields {
				move(object, p.was, p.is)
			}
			unknown = append(unknown, g.leftIn(was, at+"."+g.was)...)
			delete(object, g.was)
		})
	}
	for _, k := range f.kept {
		found = k.toTypes(tree) || found
	}
	return unknown, found
}

// ToRelease moves values from the places of the types to those of the release.
func (f Fields) ToRelease(tree any) {
	for _, g := range f.groups {
		g.in.objects(tree, "", func(object map[string]any, _ string) {
			for _, p := range g.fields {
				move(object, p.is, p.was)
			}
			delete(object, g.is)
			if _, ok := object[g.was]; g.always && !ok {
				object[g.was] = nil
			}
		})
	}
	for _, k := range f.kept {
		k.toRelease(tree)
	}
}

// move moves the value at one path within an object to another path. Afterwards all objects on the way exist, even if
// they are empty, like structs in Go.
func move(object map[string]any, from, to fieldPath) {
	from.each(object, "", func(parent map[string]any, name, key string) {
		target, as := to.place(object, key)
		if value, ok := parent[name]; ok {
			delete(parent, name)
			target[as] = value
		}
	})
}

// leftIn returns the paths of the fields that remain in a place of the release after the moved fields were taken out.
func (g group) leftIn(value any, at string) []string {
	var below []fieldPath
	for _, p := range g.fields {
		below = append(below, p.was[1:])
	}
	return left(value, below, at)
}

func left(value any, known []fieldPath, at string) (unknown []string) {
	object, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		var below []fieldPath
		for _, p := range known {
			if len(p) > 0 && (p[0].In == entries || p[0].Name == name) {
				below = append(below, p[1:])
			}
		}
		if below == nil {
			unknown = append(unknown, at+"."+name)
		} else {
			unknown = append(unknown, left(object[name], below, at+"."+name)...)
		}
	}
	return unknown
}

// MayBeWritten reports whether the JSON of an object, with the fields where the types have them, may need ToRelease.
func (f Fields) MayBeWritten(data []byte) bool {
	return f.hasKept(data) || slices.ContainsFunc(f.groups, func(g group) bool {
		return quoted(data, g.in.last()) && (g.isWhole() || quoted(data, g.is))
	})
}

// In reports whether an object of a Go type may have any of the fields.
func (f Fields) In(object any) bool {
	return slices.ContainsFunc(f.groups, func(g group) bool {
		path := g.in
		if !g.isWhole() {
			path = append(slices.Clone(path), pathStep{Name: g.is})
		}
		return path.isIn(reflect.ValueOf(object))
	}) || slices.ContainsFunc(f.kept, func(k keptField) bool { return k.isIn(reflect.ValueOf(object)) })
}

// MayBeIn reports whether the JSON of an object may contain moved fields, in the places of the release or in those of
// the types. JSON with escapes may contain any name.
func (f Fields) MayBeIn(data []byte) bool {
	return !f.None() && (bytes.Contains(data, []byte(`\u`)) || slices.ContainsFunc(f.groups, func(g group) bool {
		if !quoted(data, g.in.last()) {
			return false
		}
		return quoted(data, g.was) || slices.ContainsFunc(g.fields, func(p places) bool { return quoted(data, p.is[0].Name) })
	}) || f.keptMayBeIn(data))
}

// isWhole reports whether all objects of the group have the place of the release: the release always writes it, or the
// types have its values directly in the object.
func (g group) isWhole() bool {
	return g.always || slices.ContainsFunc(g.fields, func(p places) bool { return len(p.is) == 1 })
}

func quoted(data []byte, name string) bool { return bytes.Contains(data, []byte(`"`+name+`"`)) }

// Tree decodes JSON and keeps numbers as they are written.
func Tree(data []byte) (tree any, err error) {
	numbers := json.NewDecoder(bytes.NewReader(data))
	numbers.UseNumber()
	if err := numbers.Decode(&tree); err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	return tree, nil
}

// A fieldPath is a sequence of steps.
type fieldPath []pathStep

// A pathStep leads to the field with this name or, depending on In, to the items of a list or the entries of a map.
type pathStep struct {
	Name string
	In   container
}

// A container is the kind of value that a step starts from.
type container int

const (
	member  container = iota // an object; the step names one of its fields
	items                    // a list
	entries                  // a map
	keyed                    // a list whose items have their keys in the field Name
)

// parsePath parses a path in the syntax of [field].
func parsePath(text string) (p fieldPath) {
	for text != "" {
		end := strings.IndexAny(text, ".[{")
		if end < 0 {
			return append(p, pathStep{Name: text})
		}
		if end > 0 {
			p = append(p, pathStep{Name: text[:end]})
		}
		switch rest := text[end+1:]; text[end] {
		case '.':
			text = rest
		case '{':
			p, text = append(p, pathStep{In: entries}), strings.TrimPrefix(rest, "}")
		default:
			key, after, _ := strings.Cut(rest, "]")
			step := pathStep{Name: key, In: keyed}
			if key == "" {
				step = pathStep{In: items}
			}
			p, text = append(p, step), after
		}
		text = strings.TrimPrefix(text, ".")
	}
	return p
}

// String returns the path in the syntax of [field].
func (p fieldPath) String() string {
	var b strings.Builder
	for _, s := range p {
		switch s.In {
		case items:
			b.WriteString("[]")
		case entries:
			b.WriteString("{}")
		case keyed:
			b.WriteString("[" + s.Name + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Name)
		}
	}
	return b.String()
}

// last returns the last field name in a path.
func (p fieldPath) last() string {
	for _, s := range slices.Backward(p) {
		if s.In == member {
			return s.Name
		}
	}
	return ""
}

// objects calls do for every object at a path. at is the object's own path, with indexes: spec.devices[0].
func (p fieldPath) objects(value any, at string, do func(object map[string]any, at string)) {
	if len(p) == 0 {
		if found, ok := value.(map[string]any); ok {
			do(found, at)
		}
		return
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			if p[0].In == items {
				p[1:].objects(item, fmt.Sprintf("%s[%d]", at, i), do)
			}
		}
	case map[string]any:
		if p[0].In == member {
			p[1:].objects(value[p[0].Name], strings.TrimPrefix(at+"."+p[0].Name, "."), do)
		}
	}
}

// each calls do for every value that exists or could exist at a path, with the object that contains it and its name
// there. key is the key of the last entry on the way.
func (p fieldPath) each(value any, key string, do func(parent map[string]any, name, key string)) {
	found, isObject := value.(map[string]any)
	list, _ := value.([]any)
	switch s := p[0]; {
	case s.In == keyed:
		for _, item := range list {
			object, _ := item.(map[string]any)
			if key, ok := object[s.Name].(string); ok {
				p[1:].each(object, key, do)
			}
		}
	case s.In == entries:
		for _, key := range slices.Sorted(maps.Keys(found)) {
			if len(p) == 1 {
				do(found, key, key)
				continue
			}
			if found[key] == nil {
				found[key] = map[string]any{}
			}
			p[1:].each(found[key], key, do)
		}
	case !isObject:
	case len(p) == 1:
		do(found, s.Name, key)
	default:
		p[1:].each(found[s.Name], key, do)
	}
}

// place returns the object in which a path ends, and the name of the value there. It creates objects that are missing
// on the way. key is the key of the entry or item on the way, if there is one.
func (p fieldPath) place(in map[string]any, key string) (parent map[string]any, name string) {
	for ; len(p) > 1; p = p[1:] {
		name = p[0].Name
		switch p[1].In {
		case keyed:
			in = itemOf(in, name, p[1].Name, key)
			p = p[1:]
		case entries:
			in = objectIn(in, name)
			if len(p) == 2 {
				return in, key
			}
			in = objectIn(in, key)
			p = p[1:]
		default:
			in = objectIn(in, name)
		}
	}
	return in, p[0].Name
}

func objectIn(in map[string]any, name string) map[string]any {
	found, ok := in[name].(map[string]any)
	if !ok {
		found = map[string]any{}
		in[name] = found
	}
	return found
}

// itemOf returns the list item with this key. It creates the item if there is none.
func itemOf(in map[string]any, name, field, key string) map[string]any {
	list, _ := in[name].([]any)
	for _, item := range list {
		if object, _ := item.(map[string]any); object != nil && object[field] == key {
			return object
		}
	}
	item := map[string]any{field: key}
	in[name] = append(list, item)
	return item
}

// isIn reports whether a Go value has anything at a path through the fields of structs and the items of lists.
func (p fieldPath) isIn(v reflect.Value) bool {
	return p.leadsTo(v, func(reflect.Value) bool { return true })
}

// leadsTo reports whether a Go value has a wanted value at a path.
func (p fieldPath) leadsTo(v reflect.Value, wanted func(reflect.Value) bool) bool {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if len(p) == 0 {
		return wanted(v)
	}
	switch {
	case v.Kind() == reflect.Slice && p[0].In == items:
		for i := range v.Len() {
			if p[1:].leadsTo(v.Index(i), wanted) {
				return true
			}
		}
	case v.Kind() == reflect.Struct && p[0].In == member:
		for i := range v.NumField() {
			if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); name == p[0].Name {
				return !v.Field(i).IsZero() && p[1:].leadsTo(v.Field(i), wanted)
			}
		}
	}
	return false
}
