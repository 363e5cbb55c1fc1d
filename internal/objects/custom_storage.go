package objects

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/shallow"
)

// Stored returns an accepted object as the cluster keeps it: in its storage version and,
// for custom resources, without what the schema does not know (W-212). It is a new one.
// written is what the storage has of it, where reading that gives another object; nil
// otherwise.
func (t *Types) Stored(obj runtime.Object) (stored, written runtime.Object, err error) {
	gvk := obj.GetObjectKind().GroupVersionKind()
	k, err := t.kind(gvk)
	if err != nil {
		return nil, nil, err
	}
	if c, ok := k.(*custom); ok {
		return c.stored(obj.(*unstructured.Unstructured))
	}
	if r, ok := t.served(gvk); ok && !r.Storage.Empty() {
		if obj, err = t.Convert(obj, r.Storage); err != nil {
			return nil, nil, err
		}
	}
	as, known := t.kindFor(obj, schema.GroupVersionKind{})
	if builtin, ok := as.(*typed); ok && builtin.isSettled(obj) && !t.lists.hasEmpty(obj) {
		return shallow.Copy(obj), nil, nil
	}
	stored = obj.DeepCopyObject()
	t.lists.dropEmpty(stored)
	if lacksDefaults(stored) {
		written = stored.DeepCopyObject()
	}
	if known {
		stored = as.defaults(stored)
	}
	return stored, written, nil
}

// Served returns an object of the cluster as the server reads it for a request in another
// version, or in its own. Unlike with [Types.Convert], fields of a custom resource that the
// other version's schema does not know are dropped.
func (t *Types) Served(obj runtime.Object, as schema.GroupVersionKind) (runtime.Object, error) {
	k, err := t.kind(as)
	if err != nil {
		return nil, err
	}
	if c, ok := k.(*custom); ok {
		return c.served(obj.(*unstructured.Unstructured), as.GroupVersion())
	}
	return t.Convert(obj, as)
}

// stored writes u and reads it again, both in the storage version. An object that is in
// that version already is written as it is; what it has too much goes when it is read.
func (k *custom) stored(u *unstructured.Unstructured) (stored, written runtime.Object, err error) {
	if u, err = k.coercedTo(u, k.storage); err != nil {
		return nil, nil, err
	}
	// Through JSON, since that is where 1.0 becomes 1.
	data, err := json.Marshal(u)
	if err != nil {
		return nil, nil, fmt.Errorf("encoding %s %q: %w", u.GetKind(), u.GetName(), err)
	}
	out := &unstructured.Unstructured{}
	if _, _, err := readCustom(data, nil, out, false); err != nil {
		return nil, nil, err
	}
	read, err := k.repaired(out.DeepCopy())
	if err != nil {
		return nil, nil, err
	}
	if reflect.DeepEqual(read.Object, out.Object) {
		return read, nil, nil
	}
	return read, out, nil
}

// served reads what is stored. Metadata that is malformed is dropped rather than refused,
// since it cannot be mended otherwise; defaults are those of the storage version only.
func (k *custom) served(u *unstructured.Unstructured, gv schema.GroupVersion) (*unstructured.Unstructured, error) {
	u, err := k.repaired(u.DeepCopy())
	if err != nil {
		return nil, err
	}
	return k.coercedTo(u, gv)
}

func (k *custom) repaired(u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if _, err := k.coerce(u, coercion{repair: true}); err != nil {
		return nil, err
	}
	k.defaults(u)
	return u, nil
}

// coercedTo converts u and makes the result fit the schema of that version. It returns u
// itself if it is in that version.
func (k *custom) coercedTo(u *unstructured.Unstructured, gv schema.GroupVersion) (*unstructured.Unstructured, error) {
	out, err := k.inVersion(u, gv)
	if err != nil || out == u {
		return out, err
	}
	if _, err := k.coerce(out, coercion{}); err != nil {
		return nil, err
	}
	return out, nil
}
