package cluster

import (
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// ShallowCopy returns an object whose metadata can be set, through [meta.Accessor], while obj stays
// as it is. All else the two share, so that neither may be changed any deeper. To set the uid of a
// Pod, a deep copy of the Pod would be most of the cost.
func ShallowCopy(obj runtime.Object) runtime.Object {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		content := maps.Clone(u.Object)
		if metadata, ok := content["metadata"].(map[string]any); ok {
			content["metadata"] = maps.Clone(metadata)
		}
		return &unstructured.Unstructured{Object: content}
	}
	v := reflect.ValueOf(obj)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return obj.DeepCopyObject()
	}
	copied := reflect.New(v.Type().Elem())
	copied.Elem().Set(v.Elem())
	return copied.Interface().(runtime.Object)
}
