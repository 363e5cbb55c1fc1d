// Package zerotime writes a creationTimestamp that is not set as null, as servers did up to 1.33, in
// templates, too (W-138). Go's own encoder leaves it out.
package zerotime

import (
	"bytes"
	"io"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// AsNull puts them into the JSON of an object of a Go type, which is decoded.
func AsNull(object, tree any) { nullTimestamps(reflect.ValueOf(object), tree) }

// nullTimestamps walks through an object and its JSON side by side.
func nullTimestamps(v reflect.Value, tree any) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			nullTimestamps(v.Elem(), tree)
		}
	case reflect.Slice:
		items, _ := tree.([]any)
		for i := range items {
			nullTimestamps(v.Index(i), items[i])
		}
	case reflect.Struct:
		fields, ok := tree.(map[string]any)
		if !ok {
			return
		}
		if m, ok := v.Interface().(metav1.ObjectMeta); ok {
			if m.CreationTimestamp.IsZero() {
				fields["creationTimestamp"] = nil
			}
			return
		}
		for i := range v.NumField() {
			nullTimestamps(v.Field(i), fieldTree(v.Type().Field(i), fields))
		}
	}
}

// fieldTree is the JSON of one field of a struct.
func fieldTree(f reflect.StructField, fields map[string]any) any {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return fields // inline
	}
	return fields[name]
}

// A Codec writes so what has no metadata of its own: the reviews that a server asks others about.
type Codec struct{ runtime.Codec }

// Encode implements [runtime.Encoder].
func (c Codec) Encode(obj runtime.Object, w io.Writer) error {
	text, err := runtime.Encode(c.Codec, obj)
	if err != nil {
		return err
	}
	_, err = w.Write(bytes.Replace(text, []byte(`"metadata":{}`), []byte(`"metadata":{"creationTimestamp":null}`), 1))
	return err
}
