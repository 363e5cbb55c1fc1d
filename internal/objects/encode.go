package objects

import (
	"bytes"
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/unset"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Release returns the release of the server.
func (t *Types) Release() *kubeversion.Release { return t.options.Release }

// Encode returns the JSON of obj as the server sends it.
func (t *Types) Encode(obj runtime.Object) ([]byte, error) {
	if _, isCustom := obj.(runtime.Unstructured); isCustom {
		return json.Marshal(obj)
	}
	data, err := t.marshal(obj)
	if err != nil {
		return nil, err
	}
	kind := obj.GetObjectKind().GroupVersionKind()
	if data, err = t.withoutLaterParts(data, kind); err != nil {
		return nil, err
	}
	return t.MovedIn(kind).Encoded(data), nil
}

// withoutLaterParts omits the parts of a whole object (its spec, its status) that the kind does not have yet. Go writes
// an empty part as {}.
func (t *Types) withoutLaterParts(data []byte, kind schema.GroupVersionKind) ([]byte, error) {
	later := t.later.in(t.hubOf(kind).GroupKind())
	for _, f := range later.unknown {
		if len(f.path) != 1 || !bytes.Contains(data, []byte(`"`+f.path[0].name+`":{}`)) {
			continue
		}
		var parts map[string]json.RawMessage
		if err := json.Unmarshal(data, &parts); err != nil {
			return nil, err
		}
		if string(parts[f.path[0].name]) != "{}" {
			continue
		}
		delete(parts, f.path[0].name)
		var err error
		if data, err = json.Marshal(parts); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// unset returns the fields that the release writes although they are not set (W-138).
func (t *Types) unset() unset.Fields {
	r := t.options.Release
	return unset.Fields{Times: !r.Has(kubeversion.OmitsZeroTimes), Devices: !r.Has(kubeversion.OmitsDevices)}
}

// marshal returns the JSON of an object of a built-in kind.
func (t *Types) marshal(obj runtime.Object) ([]byte, error) {
	data, err := json.Marshal(obj)
	if err != nil || !t.unset().In(obj) {
		return data, err
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, err
	}
	t.unset().Write(obj, tree)
	return json.Marshal(tree)
}
