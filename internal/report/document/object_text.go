package document

import (
	"encoding/json"

	"github.com/admsim/admsim/internal/encode"
)

// ObjectText returns an object as YAML, without its managedFields.
func ObjectText(object json.RawMessage) []byte {
	tree, err := Decoded(object)
	if err != nil {
		return object
	}
	if o, ok := tree.(map[string]any); ok {
		WithoutManagers(o)
	}
	data, err := encode.TreeYAML(tree)
	if err != nil {
		return object
	}
	return data
}

// WithoutManagers removes the managedFields of an object, or of the items of a list, and reports whether there were
// any.
func WithoutManagers(o map[string]any) (found bool) {
	if m, ok := o["metadata"].(map[string]any); ok && m["managedFields"] != nil {
		delete(m, "managedFields")
		found = true
	}
	items, _ := o["items"].([]any)
	for _, item := range items {
		if one, ok := item.(map[string]any); ok && WithoutManagers(one) {
			found = true
		}
	}
	return found
}
