package objects

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
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
	if tree, isTree := obj.(runtime.Unstructured); isTree {
		return t.encodeTree(tree, kind)
	}
	if table, isTable := obj.(*metav1.Table); isTable {
		return t.encodeTable(table)
	}
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	fields, missing := t.MovedIn(kind), t.missing(kind)
	hasMoved := fields.MayBeWritten(data)
	if !hasMoved && !t.unset.MayBeIn(obj) && !missing.mayBeIn(data) {
		return data, nil
	}
	tree, err := moved.Tree(data)
	if err != nil {
		return nil, err
	}
	t.unset.Write(obj, tree)
	if hasMoved {
		fields.ToRelease(tree)
	}
	// Also defaults of rules that are common to all releases, and parts of a whole object (its spec, its status), which Go
	// writes as {} if they are empty.
	missing.removeFrom(tree)
	return t.order.Encode(obj, tree)
}

// encodeTree returns the JSON of a custom resource, or of a list of built-in objects.
func (t *Types) encodeTree(tree runtime.Unstructured, kind schema.GroupVersionKind) ([]byte, error) {
	if strings.HasSuffix(kind.Kind, "List") {
		if list, ok := builtin.New(kind); ok {
			return t.order.Encode(list, tree.UnstructuredContent())
		}
	}
	return json.Marshal(tree)
}

// encodeTable returns the JSON of a table, with the objects of its rows as the release writes them.
func (t *Types) encodeTable(table *metav1.Table) ([]byte, error) {
	encoded := *table
	encoded.Rows = slices.Clone(table.Rows)
	for i := range encoded.Rows {
		object := &encoded.Rows[i].Object
		if object.Object == nil {
			continue
		}
		text, err := t.Encode(object.Object)
		if err != nil {
			return nil, err
		}
		*object = runtime.RawExtension{Raw: text}
	}
	return json.Marshal(&encoded)
}
