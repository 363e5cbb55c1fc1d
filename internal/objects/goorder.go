package objects

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/patch"
)

// Written is like [Types.Encode], with the members of objects in the order in which the server writes them: that of the
// fields of the Go structs. Errors about a patched object quote it.
func (t *Types) Written(obj runtime.Object) ([]byte, error) {
	data, err := t.Encode(obj)
	if _, isCustom := obj.(runtime.Unstructured); err != nil || isCustom || bytes.HasPrefix(data, []byte(`{"kind":`)) {
		return data, err // Go writes the kind first; if the members are sorted, apiVersion is the first
	}
	return inGoOrder(data, reflect.TypeOf(obj)), nil
}

// patchedAsWritten returns the JSON of obj after a patch as the server has it; doc is the same in another order.
func (t *Types) patchedAsWritten(obj runtime.Object, p patch.Patch, doc []byte) []byte {
	if before, err := t.Written(obj); err == nil {
		if after, err := p.Apply(before); err == nil {
			doc = after
		}
	}
	return p.Sorted(doc)
}

// inGoOrder returns the JSON of a value of a Go type with the members of objects in the order of the fields of structs.
// Members that the structs do not have come last.
func inGoOrder(data json.RawMessage, t reflect.Type) json.RawMessage {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
		return data
	}
	var parts []string
	switch t.Kind() {
	case reflect.Struct:
		var members map[string]json.RawMessage
		if json.Unmarshal(data, &members) != nil || members == nil {
			return data
		}
		inOrder := jsonFields(t)
		for _, f := range inOrder {
			if value, ok := members[f.name]; ok {
				parts = append(parts, quoted(f.name)+":"+string(inGoOrder(value, f.goType)))
			}
		}
		for name, value := range rules.Sorted(members) {
			if !slices.ContainsFunc(inOrder, func(f jsonField) bool { return f.name == name }) {
				parts = append(parts, quoted(name)+":"+string(value))
			}
		}
		return json.RawMessage("{" + strings.Join(parts, ",") + "}")
	case reflect.Map:
		var members map[string]json.RawMessage
		if json.Unmarshal(data, &members) != nil || members == nil {
			return data
		}
		for name, value := range rules.Sorted(members) {
			parts = append(parts, quoted(name)+":"+string(inGoOrder(value, t.Elem())))
		}
		return json.RawMessage("{" + strings.Join(parts, ",") + "}")
	case reflect.Slice:
		var items []json.RawMessage
		if json.Unmarshal(data, &items) != nil || items == nil {
			return data // also bytes, which are text
		}
		for _, item := range items {
			parts = append(parts, string(inGoOrder(item, t.Elem())))
		}
		return json.RawMessage("[" + strings.Join(parts, ",") + "]")
	}
	return data
}

// A jsonField is a member of the JSON of a Go struct.
type jsonField struct {
	name   string
	goType reflect.Type
}

// jsonFields returns the members of the JSON of a struct in their order, with those of the structs that are inlined.
func jsonFields(t reflect.Type) (fields []jsonField) {
	for f := range t.Fields() {
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case name != "" && name != "-":
			fields = append(fields, jsonField{name, f.Type})
		case f.Anonymous:
			fields = append(fields, jsonFields(f.Type)...)
		}
	}
	return fields
}

func quoted(name string) string {
	text, err := json.Marshal(name)
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(text)
}
