package wire

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/builtin"
)

// marshal writes an object in protocol buffers as the release does: with its fields that the Go type has lost, and
// without those that the type has instead.
func (l Lost) marshal(e encoder, object runtime.Object) ([]byte, error) {
	t := reflect.TypeOf(object).Elem()
	if !l.any(t, func(lostField) bool { return true }) {
		return marshal(object)
	}
	if meta.IsListType(object) {
		return l.marshalList(e, object)
	}
	text, err := e.Encode(object)
	if err != nil {
		return nil, err
	}
	var tree map[string]any // nil if no lost field is set
	if l.any(t, func(f lostField) bool { return bytes.Contains(text, []byte(`"`+f.name+`"`)) }) {
		if err := json.Unmarshal(text, &tree); err != nil {
			return nil, err
		}
		object = reflect.New(t).Interface().(runtime.Object)
		if err := json.Unmarshal(text, object); err != nil {
			return nil, err
		}
	}
	data, err := marshal(object)
	if err != nil || tree == nil && !l.any(t, func(f lostField) bool { return f.shape == always }) {
		return data, err
	}
	return l.withFields(data, t, tree), nil
}

// marshalList writes a list. Its items are field 2 in all lists.
func (l Lost) marshalList(e encoder, list runtime.Object) ([]byte, error) {
	items, err := meta.ExtractList(list)
	if err != nil {
		return nil, err
	}
	empty := list.DeepCopyObject()
	if err := meta.SetList(empty, nil); err != nil {
		return nil, err
	}
	data, err := marshal(empty)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		text, err := l.marshal(e, item)
		if err != nil {
			return nil, err
		}
		data = appendField(data, 2, text)
	}
	return data, nil
}

// any reports whether the release has any lost field that is wanted, in an object or a list of this type.
func (l Lost) any(t reflect.Type, wanted func(lostField) bool) bool {
	for _, model := range lossy()[t] {
		for _, f := range lostFields[model] {
			if wanted(f) && l(model, f.name) {
				return true
			}
		}
	}
	return false
}

// lossy returns, for each type, the messages in it that have lost fields, at any depth.
var lossy = sync.OnceValue(func() map[reflect.Type][]string {
	all := map[reflect.Type][]string{}
	for _, kind := range builtin.Kinds() {
		findLossy(builtin.Type(kind), all)
	}
	return all
})

// findLossy adds a type and all types in it to those that are known. A type that contains itself has lost nothing.
func findLossy(t reflect.Type, known map[reflect.Type][]string) (models []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	if found, ok := known[t]; ok {
		return found
	}
	known[t] = nil
	if model := modelOf(t); lostFields[model] != nil {
		models = append(models, model)
	}
	for f := range t.Fields() {
		if f.IsExported() {
			models = append(models, findLossy(f.Type, known)...)
		}
	}
	slices.Sort(models)
	known[t] = slices.Compact(models)
	return known[t]
}

// modelOf returns the name of a message in OpenAPI, or "" if it has none.
func modelOf(t reflect.Type) string {
	if model, ok := reflect.Zero(t).Interface().(interface{ OpenAPIModelName() string }); ok {
		return model.OpenAPIModelName()
	}
	return ""
}

// withFields adds the lost fields in the JSON of a message to its encoded form. They are never in maps. As the server
// does, it writes fields in the order of their numbers.
func (l Lost) withFields(data []byte, t reflect.Type, tree map[string]any) []byte {
	var fields []encodedField
	seen := map[protowire.Number]int{}
	for encoded := range fieldsOf(data) { // without errors: admsim has just written them
		n := encoded.number
		if f, known := fieldNumbered(t, n); known && encoded.kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(encoded.data)
			if inner, of := messageIn(tree, f, seen[n]); len(lossy()[of]) > 0 {
				encoded.whole = appendField(nil, n, l.withFields(value, of, inner))
			}
			seen[n]++
		}
		fields = append(fields, encoded)
	}
	model := modelOf(t)
	for number, f := range lostFields[model] {
		if l(model, f.name) {
			fields = append(fields, encodedField{number: number, whole: f.write(number, tree[f.name])})
		}
	}
	slices.SortStableFunc(fields, func(a, b encodedField) int { return int(a.number - b.number) })
	var all []byte
	for _, f := range fields {
		all = append(all, f.whole...)
	}
	return all
}

// messageIn returns the JSON of the message in a field, or of an item of the list in it, or nil; and its type.
func messageIn(tree map[string]any, f reflect.StructField, index int) (inner map[string]any, of reflect.Type) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" { // its fields are among those of the object
		return tree, f.Type
	}
	value := tree[name]
	if of = f.Type; of.Kind() == reflect.Slice {
		of = of.Elem()
		if list, _ := value.([]any); index < len(list) {
			value = list[index]
		}
	}
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	inner, _ = value.(map[string]any)
	return inner, of
}

// write returns all occurrences of the field for its value in JSON, or for none.
func (f lostField) write(number protowire.Number, value any) (data []byte) {
	switch value := value.(type) {
	case nil:
		if f.shape == always {
			data = appendField(data, number, f.value.write(nil))
		}
	case []any:
		for _, item := range value {
			data = appendField(data, number, f.value.write(item))
		}
	case map[string]any:
		if f.shape != mapped {
			return appendField(data, number, f.value.write(value))
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			entry := appendField(appendField(nil, 1, []byte(key)), 2, f.value.write(value[key]))
			data = appendField(data, number, entry)
		}
	default:
		data = appendField(data, number, f.value.write(value))
	}
	return data
}

func (m lostMessage) write(value any) (data []byte) {
	object, _ := value.(map[string]any)
	for _, number := range slices.Sorted(maps.Keys(m)) {
		data = append(data, m[number].write(number, object[m[number].name])...)
	}
	return data
}

func appendField(data []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(data, number, protowire.BytesType), value)
}
