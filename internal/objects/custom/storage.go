// kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go

package custom

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/jsonread"
)

// Stored writes u and reads it back, both in the storage version. If u is already in that version, it is written as it
// is; unknown fields are dropped when it is read.
func (k *Kind) Stored(u *unstructured.Unstructured) (stored, written runtime.Object, err error) {
	if u, err = k.coercedTo(u, k.storage); err != nil {
		return nil, nil, err
	}
	// The object goes through JSON, which turns 1.0 into 1.
	data, err := json.Marshal(u)
	if err != nil {
		return nil, nil, fmt.Errorf("encoding %s %q: %w", u.GetKind(), u.GetName(), err)
	}
	out := &unstructured.Unstructured{}
	if _, _, err := jsonread.Tree(data, nil, out, false, k.options.Release); err != nil {
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

// Served reads a stored object. Malformed metadata is dropped and not refused, since it could not be repaired
// otherwise; only the defaults of the storage version are set.
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

// coercedTo converts u and makes the result fit the schema of that version. It returns u itself if it is in that
// version.
func (k *Kind) coercedTo(u *unstructured.Unstructured, gv schema.GroupVersion) (*unstructured.Unstructured, error) {
	version := u.GetResourceVersion()
	if version != "" && k.asksWebhook() && u.GroupVersionKind().GroupVersion() != gv {
		// What is stored has no version: kubernetes/apiserver:pkg/storage/etcd3/store.go.
		u = u.DeepCopy()
		u.SetResourceVersion("")
	}
	out, err := k.inVersion(u, gv)
	if err != nil || out == u {
		return out, err
	}
	if version != "" {
		out.SetResourceVersion(version)
	}
	if _, err := k.coerce(out, coercion{}); err != nil {
		return nil, err
	}
	return out, nil
}
