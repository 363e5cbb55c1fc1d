package wire

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/cluster"
)

// List returns a list of a built-in kind in its Go type.
func List(kind schema.GroupVersionKind, m metav1.ListMeta, items []runtime.Object) (runtime.Object, error) {
	list, ok := builtin.New(kind)
	if !ok {
		return nil, fmt.Errorf("%s has no Go type", kind)
	}
	list.GetObjectKind().SetGroupVersionKind(kind)
	if err := meta.SetList(list, items); err != nil {
		return nil, err
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	accessor.SetResourceVersion(m.ResourceVersion)
	accessor.SetContinue(m.Continue)
	accessor.SetRemainingItemCount(m.RemainingItemCount)
	if sharded, ok := accessor.(metav1.ShardedListInterface); ok {
		sharded.SetShardInfo(m.ShardInfo)
	}
	return list, nil
}

// Empty returns an object of a kind with no fields set.
func Empty(kind schema.GroupVersionKind, custom bool) runtime.Object {
	object, ok := builtin.New(kind)
	if custom || !ok {
		object = &unstructured.Unstructured{Object: map[string]any{}}
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	return object
}

// WithoutKind returns an object of a built-in kind as it is written in a list, which does not repeat the kind.
func WithoutKind(object runtime.Object) runtime.Object {
	object = cluster.ShallowCopy(object)
	object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return object
}
