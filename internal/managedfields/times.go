package managedfields

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

const creationTime = "creationTimestamp"

// addTimes adds a null creationTimestamp to the metadata without one in the optional parts of a value, and reports whether
// there are any. tree is its decoded JSON, or nil to add nothing. In the parts that all values of the type have, the time
// makes no difference: it does not change, so nobody owns it.
func addTimes(v reflect.Value, tree any, optional bool) (found bool) {
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && addTimes(v.Elem(), tree, true)
	case reflect.Slice:
		items, _ := tree.([]any)
		for i := range v.Len() {
			var item any
			if i < len(items) {
				item = items[i]
			}
			found = addTimes(v.Index(i), item, true) || found
		}
	case reflect.Struct:
		entry := value.TypeReflectEntryOf(v.Type())
		if entry.CanConvertToUnstructured() {
			return false
		}
		members, _ := tree.(map[string]any)
		if m, ok := v.Interface().(metav1.ObjectMeta); ok {
			found = optional && m.CreationTimestamp.IsZero()
			if found && members != nil {
				members[creationTime] = nil
			}
			return found
		}
		for _, f := range entry.OrderedFields() {
			found = addTimes(f.GetFrom(v), members[f.JsonName], optional) || found
		}
	}
	return found
}
