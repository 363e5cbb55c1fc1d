package objects

import (
	"encoding/json"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Release is the one whose objects these are.
func (t *Types) Release() *kubeversion.Release { return t.options.Release }

// Encode returns the JSON of obj as the server sends it.
func (t *Types) Encode(obj runtime.Object) ([]byte, error) {
	if t.options.Release.Has(kubeversion.OmitsZeroTimes) {
		return json.Marshal(obj)
	}
	if _, isCustom := obj.(runtime.Unstructured); isCustom {
		return json.Marshal(obj)
	}
	return encodeOld(obj)
}

// encodeOld is Encode of releases before 1.34: the creationTimestamp of a built-in kind is
// null where there is none, in templates too (W-138).
func encodeOld(obj runtime.Object) ([]byte, error) {
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, err
	}
	nullTimestamps(reflect.ValueOf(obj), tree)
	return json.Marshal(tree)
}

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
