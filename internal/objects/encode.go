package objects

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Release returns the release of the server.
func (t *Types) Release() *kubeversion.Release { return t.options.Release }

// Encode returns the JSON of obj as the server sends it.
func (t *Types) Encode(obj runtime.Object) ([]byte, error) {
	return t.EncodeAs(obj, obj.GetObjectKind().GroupVersionKind())
}

// EncodeAs is like [Types.Encode], for an object of that kind, which the object need not say: in a list it does not.
func (t *Types) EncodeAs(obj runtime.Object, kind schema.GroupVersionKind) ([]byte, error) {
	if _, isCustom := obj.(runtime.Unstructured); isCustom {
		return json.Marshal(obj)
	}
	data, err := t.marshal(obj)
	if err != nil {
		return nil, err
	}
	return t.withoutMissing(t.MovedIn(kind).Encoded(data), kind), nil
}

// withoutMissing omits the fields that the release does not have: defaults of rules that are common to all releases, and
// parts of a whole object (its spec, its status), which Go writes as {} if they are empty.
func (t *Types) withoutMissing(data []byte, kind schema.GroupVersionKind) []byte {
	missing := t.missing(kind)
	if !missing.mayBeIn(data) {
		return data
	}
	tree, err := moved.Tree(data)
	if err != nil {
		panic("objects: an object is written as " + err.Error())
	}
	if len(missing.removeFrom(tree)) == 0 {
		return data
	}
	if data, err = json.Marshal(tree); err != nil {
		panic("objects: what was JSON is none: " + err.Error())
	}
	return data
}

// marshal returns the JSON of an object of a built-in kind.
func (t *Types) marshal(obj runtime.Object) ([]byte, error) {
	data, err := json.Marshal(obj)
	if err != nil || !t.unset.MayBeIn(obj) {
		return data, err
	}
	tree, err := moved.Tree(data)
	if err != nil {
		return nil, err
	}
	t.unset.Write(obj, tree)
	return json.Marshal(tree)
}
