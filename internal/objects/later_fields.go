package objects

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A laterField is one that a kind did not have from the start.
type laterField struct {
	kubeversion.Field
	path []step
}

// A step goes down into a field of that name, a map's entry, or every item of a list.
type step struct {
	name  string
	items bool
}

// parsePath reads spec.containers[].name, or metadata.labels[a.b/c].
func parsePath(text string) []step {
	var steps []step
	for text != "" {
		end := strings.IndexAny(text, ".[")
		switch {
		case end < 0:
			return append(steps, step{name: text})
		case end > 0:
			steps = append(steps, step{name: text[:end]})
		}
		if text[end] == '.' {
			text = text[end+1:]
			continue
		}
		inside, rest, _ := strings.Cut(text[end+1:], "]")
		steps = append(steps, step{name: inside, items: inside == ""})
		text = strings.TrimPrefix(rest, ".")
	}
	return steps
}

// laterFieldsOf are those of a kind, with those of pods where it has a pod in it.
func laterFieldsOf(kind schema.GroupKind) []laterField {
	var fields []laterField
	for _, f := range kubeversion.Fields(kind) {
		fields = append(fields, laterField{f, parsePath(f.Path)})
	}
	return fields
}

// laterFields are, by kind, the fields that one release does not have, or not quite.
type laterFields struct {
	release *kubeversion.Release
	kinds   sync.Map // schema.GroupKind → []laterField
	indexes sync.Map // reflect.Type → map[string][]int, the fields of structs by what they are called in JSON
}

// in are the fields of a kind. Nobody changes the list.
func (c *laterFields) in(kind schema.GroupKind) []laterField {
	if known, ok := c.kinds.Load(kind); ok {
		return known.([]laterField)
	}
	fields := slices.DeleteFunc(laterFieldsOf(kind), func(f laterField) bool { return c.release.HasOn(f.Field) })
	c.kinds.Store(kind, fields)
	return fields
}

// hubOf is the version in which a kind is thought about.
func (t *Types) hubOf(gvk schema.GroupVersionKind) schema.GroupVersionKind {
	if s := t.versions[gvk]; s != nil {
		return s.Hub
	}
	return gvk
}

// withoutLater takes the fields that the release does not know out of a body. unknown says of
// each what strict decoding says of a field that nobody knows.
func (t *Types) withoutLater(data []byte, kind schema.GroupVersionKind) (rest []byte, unknown []error) {
	var tree any
	for _, f := range t.later.in(t.hubOf(kind).GroupKind()) {
		if t.later.release.Knows(f.Field) {
			continue
		}
		if tree == nil && json.Unmarshal(data, &tree) != nil {
			return data, nil // decoding says what is wrong with it
		}
		for _, removed := range removeField(tree, f.path, "") {
			unknown = append(unknown, fmt.Errorf("unknown field %q", removed))
		}
	}
	if unknown == nil {
		return data, nil
	}
	rest, err := json.Marshal(tree)
	if err != nil {
		panic("objects: what was JSON is none: " + err.Error())
	}
	return rest, unknown
}

// removeField takes a field out, in every item of the lists on its way. It returns where it was.
func removeField(tree any, path []step, at string) (removed []string) {
	next, last := path[0], len(path) == 1
	if list, ok := tree.([]any); ok && next.items {
		for i, item := range list {
			removed = append(removed, removeField(item, path[1:], fmt.Sprintf("%s[%d]", at, i))...)
		}
		return removed
	}
	object, ok := tree.(map[string]any)
	value, found := object[next.name]
	if !ok || next.items || !found {
		return nil
	}
	at = strings.TrimPrefix(at+"."+next.name, ".")
	if !last {
		return removeField(value, path[1:], at)
	}
	delete(object, next.name)
	return []string{at}
}

// like defaults or prepares an object as a release does that lacks fields: what it does not
// know is not set afterwards, and what it does not default, only if it was set before. old is
// what the object replaces, if anything.
func (k *typed) like(obj, old runtime.Object, drops bool, change func() runtime.Object) runtime.Object {
	var unset []laterField
	c := &k.types.later
	for _, f := range k.later() {
		known := c.release.Knows(f.Field)
		before := obj
		if drops && f.IsNew() { // anybody may set what was there from the start
			before = old
		}
		if !known || before == nil || !c.isSet(before, f.path) {
			unset = append(unset, f)
		}
	}
	// Before the change too, which compares: what is dropped is no change of the object.
	c.drop(obj, unset)
	obj = change()
	c.drop(obj, unset)
	return obj
}

func (c *laterFields) drop(obj runtime.Object, fields []laterField) {
	for _, f := range fields {
		c.visit(reflect.ValueOf(obj), f.path, reflect.Value.SetZero)
	}
}

func (c *laterFields) isSet(obj runtime.Object, path []step) (set bool) {
	c.visit(reflect.ValueOf(obj), path, func(v reflect.Value) { set = set || !v.IsZero() })
	return set
}

// visit calls do with the places of a path that there are.
func (c *laterFields) visit(v reflect.Value, path []step, do func(reflect.Value)) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	if len(path) == 0 {
		return
	}
	next, last := path[0], len(path) == 1
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			if next.items && !last {
				c.visit(v.Index(i), path[1:], do)
			}
		}
	case reflect.Map:
		visitEntry(v, next.name, do)
	case reflect.Struct:
		f, ok := c.fieldNamed(v, next.name)
		switch {
		case !ok || next.items:
		case last:
			do(f)
		default:
			c.visit(f, path[1:], do)
		}
	}
}

// visitEntry is for the last step into a map of strings, such as labels. One that do empties
// goes.
func visitEntry(v reflect.Value, name string, do func(reflect.Value)) {
	key := reflect.ValueOf(name)
	entry := v.MapIndex(key)
	if !entry.IsValid() {
		return
	}
	value := reflect.New(entry.Type()).Elem()
	value.Set(entry)
	if do(value); value.IsZero() {
		v.SetMapIndex(key, reflect.Value{})
	}
}

// fieldNamed is the field that has this name in JSON.
func (c *laterFields) fieldNamed(v reflect.Value, name string) (reflect.Value, bool) {
	known, ok := c.indexes.Load(v.Type())
	if !ok {
		indexes := map[string][]int{}
		for _, f := range reflect.VisibleFields(v.Type()) {
			if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag != "" {
				indexes[tag] = f.Index
			}
		}
		known, _ = c.indexes.LoadOrStore(v.Type(), indexes)
	}
	index, ok := known.(map[string][]int)[name]
	if !ok {
		return reflect.Value{}, false
	}
	f, err := v.FieldByIndexErr(index)
	return f, err == nil
}
