package document

import (
	"bytes"
	"encoding/json"

	"github.com/admsim/admsim/internal/encode"
)

// ObjectText is an object as YAML, without the record of who manages its fields.
func ObjectText(object json.RawMessage) []byte {
	var shown any = object
	var o map[string]any
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	if d.Decode(&o) == nil && WithoutManagers(o) {
		shown = o
	}
	data, err := encode.YAML(shown)
	if err != nil {
		return object
	}
	return data
}

// WithoutManagers takes the managedFields out of an object, or of the items of a list, and
// tells whether there were any.
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
