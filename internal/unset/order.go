package unset

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"sync"
)

// Order writes the members of objects in the order of the fields of their Go types. Its zero value is ready for use, and it
// is safe for concurrent use.
type Order struct {
	// Former returns the fields that a type had in old releases, in their order. Next is the name of the field after one; it
	// is empty for the last one. If Former is nil, no type had other fields.
	Former func(reflect.Type) []struct {
		Name, Next string
		Type       reflect.Type
	}

	mu      sync.RWMutex
	structs map[reflect.Type][]member // nil if the type writes its own JSON
}

// Encode returns the JSON of tree, the changed JSON of object, which has a Go type. Former fields are at their places, and
// members that no type had follow the others, sorted by name.
func (o *Order) Encode(object, tree any) ([]byte, error) {
	w := &inOrder{membersOf: o.membersOf}
	w.scalars = json.NewEncoder(&w.b)
	if err := w.value(reflect.ValueOf(object), tree); err != nil {
		return nil, err
	}
	return w.b.Bytes(), nil
}

type inOrder struct {
	b         bytes.Buffer
	scalars   *json.Encoder
	membersOf func(reflect.Type) []member
}

// A member is a field of a struct, which may be embedded, or a former field with this type.
type member struct {
	name   string
	index  []int
	former reflect.Type
}

func (m member) in(v reflect.Value) reflect.Value {
	if m.former != nil {
		return reflect.Zero(m.former)
	}
	return v.FieldByIndex(m.index)
}

// value writes a value. v is invalid if it has no Go type.
func (w *inOrder) value(v reflect.Value, tree any) error {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.Kind() == reflect.Pointer && v.IsNil() {
			v = reflect.Zero(v.Type().Elem()) // the tree has more than the object
		} else {
			v = v.Elem()
		}
	}
	object, isObject := tree.(map[string]any)
	list, isList := tree.([]any)
	switch {
	case !isObject && !isList:
		return w.sorted(tree)
	case v.Kind() == reflect.Struct:
		if members := w.membersOf(v.Type()); members == nil {
			return w.own(v, tree)
		} else if isObject {
			return w.object(object, members, v)
		}
	case v.Kind() == reflect.Slice && isList:
		return w.list(v, list)
	case v.Kind() == reflect.Map && isObject && v.Type().Key().Kind() == reflect.String:
		return w.entries(v, object)
	}
	return w.sorted(tree)
}

// own writes what a type writes itself, which may be the JSON of a client. The schemas of definitions have such types for
// schemas in alternative forms.
func (w *inOrder) own(v reflect.Value, tree any) error {
	for _, name := range []string{"Schema", "JSONSchemas"} {
		if form := v.FieldByName(name); form.IsValid() && !form.IsNil() {
			return w.value(form, tree)
		}
	}
	if v.IsZero() {
		return w.sorted(tree)
	}
	return w.sorted(v.Interface())
}

func (w *inOrder) object(tree map[string]any, members []member, v reflect.Value) error {
	w.b.WriteByte('{')
	written := 0
	for _, m := range members {
		value, ok := tree[m.name]
		if !ok {
			continue
		}
		if err := w.member(written, m.name, m.in(v), value); err != nil {
			return err
		}
		written++
	}
	if written < len(tree) {
		for _, name := range slices.Sorted(maps.Keys(tree)) {
			if slices.ContainsFunc(members, func(m member) bool { return m.name == name }) {
				continue
			}
			if err := w.member(written, name, reflect.Value{}, tree[name]); err != nil {
				return err
			}
			written++
		}
	}
	w.b.WriteByte('}')
	return nil
}

func (w *inOrder) entries(v reflect.Value, tree map[string]any) error {
	w.b.WriteByte('{')
	for i, key := range slices.Sorted(maps.Keys(tree)) {
		entry := v.MapIndex(reflect.ValueOf(key).Convert(v.Type().Key()))
		if !entry.IsValid() {
			entry = reflect.Zero(v.Type().Elem()) // the tree has more than the object
		}
		if err := w.member(i, key, entry, tree[key]); err != nil {
			return err
		}
	}
	w.b.WriteByte('}')
	return nil
}

// member writes a member that has i others before it.
func (w *inOrder) member(i int, name string, v reflect.Value, value any) error {
	if i > 0 {
		w.b.WriteByte(',')
	}
	if err := w.sorted(name); err != nil {
		return err
	}
	w.b.WriteByte(':')
	return w.value(v, value)
}

func (w *inOrder) list(v reflect.Value, items []any) error {
	w.b.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			w.b.WriteByte(',')
		}
		of := reflect.Zero(v.Type().Elem())
		if i < v.Len() {
			of = v.Index(i)
		}
		if err := w.value(of, item); err != nil {
			return err
		}
	}
	w.b.WriteByte(']')
	return nil
}

// sorted writes a value without a Go type: what it contains is sorted by name.
func (w *inOrder) sorted(value any) error {
	if err := w.scalars.Encode(value); err != nil {
		return err
	}
	w.b.Truncate(w.b.Len() - 1) // the end of the line
	return nil
}

func (o *Order) membersOf(t reflect.Type) []member {
	o.mu.RLock()
	members, ok := o.structs[t]
	o.mu.RUnlock()
	if ok {
		return members
	}
	if !reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
		members = o.withFormer(append([]member{}, fieldsOf(t, nil)...), t)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.structs == nil {
		o.structs = map[reflect.Type][]member{}
	}
	o.structs[t] = members
	return members
}

func (o *Order) withFormer(members []member, t reflect.Type) []member {
	if o.Former == nil {
		return members
	}
	for _, f := range o.Former(t) {
		at := slices.IndexFunc(members, func(m member) bool { return m.name == f.Next })
		if at < 0 {
			at = len(members)
		}
		members = slices.Insert(members, at, member{name: f.Name, former: f.Type})
	}
	return members
}

func fieldsOf(t reflect.Type, within []int) (all []member) {
	for i := range t.NumField() {
		f, index := t.Field(i), append(slices.Clip(within), i)
		switch name := jsonName(f); {
		case name == "-" || !f.IsExported():
		case name != "":
			all = append(all, member{name: name, index: index})
		case f.Type.Kind() == reflect.Struct:
			all = append(all, fieldsOf(f.Type, index)...)
		}
	}
	return all
}
