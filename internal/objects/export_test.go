package objects

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/patch"
)

// Names for the tests that use all kinds, which package kinds lists.

var (
	EditChanged    = editChanged
	StringsChanged = stringsChanged
)

func (t *Types) Kind(gvk schema.GroupVersionKind) (kind, error) { return t.kind(gvk) }

func (t *Types) SchemaOf(gvk schema.GroupVersionKind) (*spec.Schema, bool) { return t.schemaOf(gvk) }

func (t *Types) Editable(obj runtime.Object, gvk schema.GroupVersionKind) (runtime.Object, metav1.Object) {
	return t.editable(obj, gvk)
}

func (t *Types) Edited(obj runtime.Object, gvk schema.GroupVersionKind, members patch.Members, edit func([]byte) ([]byte, error), s rules.Strictness) runtime.Object {
	return t.edited(obj, gvk, members, edit, s)
}

// HasField reports whether a field is set, at any depth.
func (t *Types) HasField(obj runtime.Object, path string) bool {
	return t.later.isSet(obj, parsePath(path))
}

// Hub returns the hub version of a kind.
func (t *Types) Hub(gvk schema.GroupVersionKind) (schema.GroupVersionKind, error) {
	k, err := t.newTyped(gvk, true)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return k.hub.GVK(), nil
}

// WithoutLosses returns what is read back after obj was stored, and whether the two differ.
func (t *Types) WithoutLosses(obj runtime.Object) (kept runtime.Object, differ bool) {
	kept = obj.DeepCopyObject()
	t.losses.dropFrom(kept)
	return kept, t.losses.in(obj)
}
