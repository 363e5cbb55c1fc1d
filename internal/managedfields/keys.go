package managedfields

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// requireKeys adds to err, why an object does not fit its schema, the list items that lack one of their keys. The library
// only refuses those that lack all keys; that of older releases refused these as well:
// https://github.com/kubernetes-sigs/structured-merge-diff/blob/v4.6.0/typed/helpers.go.
func requireKeys(t typed.ParseableType, object map[string]any, err error) error {
	k := keyCheck{schema: t.Schema}
	k.check(t.TypeRef, object, nil)
	if k.lacking == nil {
		return err
	}
	var all typed.ValidationErrors
	errors.As(err, &all)
	all = slices.DeleteFunc(slices.Clone(all), func(e typed.ValidationError) bool { return strings.Contains(e.ErrorMessage, "omits all key fields") })
	return append(all, k.lacking...)
}

type keyCheck struct {
	schema  *schema.Schema
	lacking typed.ValidationErrors
}

func (k *keyCheck) check(ref schema.TypeRef, v any, at fieldpath.Path) {
	atom, ok := k.schema.Resolve(ref)
	if !ok {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if atom.Map != nil {
			k.members(atom.Map, v, at)
		}
	case []any:
		if atom.List != nil {
			k.items(atom.List, v, at)
		}
	}
}

func (k *keyCheck) members(of *schema.Map, object map[string]any, at fieldpath.Path) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		ref := of.ElementType
		if field, ok := of.FindField(name); ok {
			ref = field.Type
		}
		k.check(ref, object[name], append(at[:len(at):len(at)], fieldpath.PathElement{FieldName: &name}))
	}
}

func (k *keyCheck) items(of *schema.List, list []any, at fieldpath.Path) {
	keyed := of.ElementRelationship == schema.Associative && len(of.Keys) > 0
	for i, item := range list {
		element := fieldpath.PathElement{Index: &i}
		if object, ok := item.(map[string]any); ok && keyed {
			keys, lacks := k.keysOf(of, object)
			if lacks != "" {
				k.lacking = append(k.lacking, typed.ValidationError{
					Path:         at.String(),
					ErrorMessage: fmt.Sprintf("element %d: associative list with keys has an element that omits key field %q (and doesn't have default value)", i, lacks),
				})
				return
			}
			element = fieldpath.PathElement{Key: &keys}
		}
		k.check(of.ElementType, item, append(at[:len(at):len(at)], element))
	}
}

// keysOf returns the keys of an item, or the first one that it lacks.
func (k *keyCheck) keysOf(of *schema.List, item map[string]any) (keys value.FieldList, lacks string) {
	atom, _ := k.schema.Resolve(of.ElementType)
	for _, name := range of.Keys {
		v, ok := item[name]
		if !ok && atom.Map != nil {
			field, _ := atom.Map.FindField(name)
			v = field.Default
		}
		if !ok && v == nil {
			return nil, name
		}
		keys = append(keys, value.Field{Name: name, Value: value.NewValueInterface(v)})
	}
	keys.Sort()
	return keys, ""
}
