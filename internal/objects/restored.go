package objects

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Restored makes a built-in object of that kind of its fields as a tree, which is how a
// strategic merge patch leaves it, and defaults it as [Types.Decode] does. What the tree says of
// its kind counts for nothing. problems are what a strict reader finds in it; the error's text
// is what the server says: kubernetes/apimachinery:pkg/runtime/converter.go.
func (t *Types) Restored(tree map[string]any, gvk schema.GroupVersionKind, s rules.Strictness) (obj runtime.Object, problems []string, err error) {
	k, err := t.kind(gvk)
	if err != nil {
		return nil, nil, err
	}
	obj, known := builtin.New(gvk)
	if !known {
		return nil, nil, fmt.Errorf("%s is no built-in kind", gvk)
	}
	if tree, problems, err = t.treeWithoutLater(tree, gvk); err != nil {
		return nil, nil, err
	}
	err = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(tree, obj, s != rules.Ignore)
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		for _, e := range strict.Errors() {
			problems = append(problems, e.Error())
		}
	} else if err != nil {
		return nil, nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return k.Defaults(obj), problems, nil
}

// treeWithoutLater is [Types.withoutLater] of a tree.
func (t *Types) treeWithoutLater(tree map[string]any, gvk schema.GroupVersionKind) (rest map[string]any, unknown []string, err error) {
	if len(t.later.in(t.hubOf(gvk).GroupKind()).unknown) == 0 {
		return tree, nil, nil
	}
	data, err := json.Marshal(tree)
	if err != nil {
		return nil, nil, err
	}
	data, later := t.withoutLater(data, gvk)
	for _, e := range later {
		unknown = append(unknown, e.Error())
	}
	return rest, unknown, kubejson.UnmarshalCaseSensitivePreserveInts(data, &rest)
}
