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

// List is a list of a built-in kind as the Go type of it.
func List(kind schema.GroupVersionKind, m metav1.ListMeta, items []runtime.Object) (runtime.Object, error) {
	list, ok := builtin.New(kind)
	if !ok {
		return nil, fmt.Errorf("%s has no Go type", kind)
	}
	list.GetObjectKind().SetGroupVersionKind(kind)
	if err := meta.SetList(list, items); err != nil {
		return nil, err
	}
	of, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	of.SetResourceVersion(m.ResourceVersion)
	of.SetContinue(m.Continue)
	of.SetRemainingItemCount(m.RemainingItemCount)
	return list, nil
}

// Empty is an object of a kind in which nothing is set.
func Empty(kind schema.GroupVersionKind, custom bool) runtime.Object {
	object, ok := builtin.New(kind)
	if custom || !ok {
		object = &unstructured.Unstructured{Object: map[string]any{}}
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	return object
}

// WithoutKind is an object of a built-in kind as lists have it, which do not repeat the kind.
func WithoutKind(object runtime.Object) runtime.Object {
	object = cluster.ShallowCopy(object)
	object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return object
}
