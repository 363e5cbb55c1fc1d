// kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go

package custom

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Stored writes u and reads it again, both in the storage version. An object that is in
// that version already is written as it is; what it has too much goes when it is read.
func (k *Kind) Stored(u *unstructured.Unstructured) (stored, written runtime.Object, err error) {
	if u, err = k.coercedTo(u, k.storage); err != nil {
		return nil, nil, err
	}
	// Through JSON, since that is where 1.0 becomes 1.
	data, err := json.Marshal(u)
	if err != nil {
		return nil, nil, fmt.Errorf("encoding %s %q: %w", u.GetKind(), u.GetName(), err)
	}
	out := &unstructured.Unstructured{}
	if _, _, err := rules.ReadTree(data, nil, out, false); err != nil {
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

// Served reads what is stored. Metadata that is malformed is dropped rather than refused,
// since it cannot be mended otherwise; defaults are those of the storage version only.
func (k *Kind) Served(u *unstructured.Unstructured, gv schema.GroupVersion) (*unstructured.Unstructured, error) {
	u, err := k.repaired(u.DeepCopy())
	if err != nil {
		return nil, err
	}
	return k.coercedTo(u, gv)
}

func (k *Kind) repaired(u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if _, err := k.coerce(u, coercion{repair: true}); err != nil {
		return nil, err
	}
	k.Defaults(u)
	return u, nil
}

// coercedTo converts u and makes the result fit the schema of that version. It returns u
// itself if it is in that version.
func (k *Kind) coercedTo(u *unstructured.Unstructured, gv schema.GroupVersion) (*unstructured.Unstructured, error) {
	out, err := k.inVersion(u, gv)
	if err != nil || out == u {
		return out, err
	}
	if _, err := k.coerce(out, coercion{}); err != nil {
		return nil, err
	}
	return out, nil
}
