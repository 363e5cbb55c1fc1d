package objects

import (
	"encoding/json"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/jsonread"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/patch"
)

// PatchTree is [Types.Patch] for the Scale of a custom resource, for which the server has no Go type at that point. The
// patched object is unstructured, which counts as a change whatever the patch does, and keeps fields that a Scale does
// not have. [Types.ConvertOnto] turns it into a Scale again (W-343):
// kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go.
func (t *Types) PatchTree(obj runtime.Object, p patch.Patch, text func() (json.RawMessage, error)) (patched runtime.Object, changed bool, err error) {
	doc, err := text()
	if err != nil {
		return nil, false, err
	}
	if doc, err = p.Apply(doc); err != nil {
		return nil, false, err
	}
	tree, err := t.Tree(doc)
	if err != nil {
		return nil, false, err
	}
	before, isTree := obj.(*unstructured.Unstructured)
	return tree, !isTree || !semantic.DeepEqual(before, tree), nil
}

// Tree reads the JSON of an object as the server reads custom resources.
func (t *Types) Tree(data []byte) (*unstructured.Unstructured, error) {
	tree := &unstructured.Unstructured{}
	if _, _, err := jsonread.Tree(data, nil, tree, false, t.options.Release); err != nil {
		return nil, err
	}
	return tree, nil
}

// scaleOf converts an unstructured object to a Scale: kubernetes/apimachinery:pkg/runtime/scheme.go, Convert.
func scaleOf(tree *unstructured.Unstructured) (*autoscalingv1.Scale, error) {
	kind := tree.GroupVersionKind()
	if kind.Version == "" {
		return nil, runtime.NewMissingVersionErr("unstructured object has no version")
	}
	object, ok := builtin.New(kind)
	if !ok {
		return nil, runtime.NewNotRegisteredErrForKind(schemeName, kind)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(tree.Object, object); err != nil {
		return nil, fmt.Errorf("unable to convert unstructured object to %v: %v", kind, err)
	}
	scale, ok := object.(*autoscalingv1.Scale)
	if !ok {
		return nil, fmt.Errorf("converting (%s.%s) to (v1.Scale): unknown conversion", kind.Version, kind.Kind)
	}
	return scale, nil
}
