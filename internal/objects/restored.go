package objects

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Restored converts a tree of fields, which is what a strategic merge patch produces, to a built-in object of that
// kind, and defaults it as [Types.Decode] does. The kind in the tree is ignored. problems lists what a strict reader
// finds in the tree; the error has the server's text: kubernetes/apimachinery:pkg/runtime/converter.go.
func (t *Types) Restored(tree map[string]any, gvk schema.GroupVersionKind, s rules.Strictness) (obj runtime.Object, problems []string, err error) {
	k, err := t.kind(gvk)
	if err != nil {
		return nil, nil, err
	}
	obj, known := builtin.New(gvk)
	if !known {
		return nil, nil, fmt.Errorf("%s is no built-in kind", gvk)
	}
	formerErr := formerError(tree, t.MovedIn(gvk))
	tree, problems, wrong, err := t.treeWithoutLater(tree, gvk)
	if err != nil {
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
	if formerErr != nil {
		return nil, nil, formerErr
	}
	if wrong != nil && wrong.Want != "" { // the converter has reported values of other types
		return nil, nil, fmt.Errorf("cannot restore %s from: %s", wrong.Want, wrong.Kind)
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return k.Defaults(obj), problems, nil
}

// formerError returns the converter's error about the first value of a wrong type in the fields that the types do not have.
func formerError(tree map[string]any, fields moved.Fields) (err error) {
	fields.EachKept(tree, func(parent map[string]any, name, _ string, of moved.Owner) {
		if err != nil {
			return
		}
		field := reflect.New(builtin.FormerStruct(of.Model, name)).Interface()
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{name: parent[name]}, field)
		if err != nil { // the release has the type in its API
			err = errors.New(strings.Replace(err.Error(), " builtin.", " v1.", 1))
		}
	})
	return err
}

// treeWithoutLater is [Types.withoutLater] for a tree.
func (t *Types) treeWithoutLater(tree map[string]any, gvk schema.GroupVersionKind) (rest map[string]any, unknown []string, wrong *misplaced, err error) {
	if t.missing(gvk).none() && t.MovedIn(gvk).None() {
		return tree, nil, nil, nil
	}
	data, err := json.Marshal(tree)
	if err != nil {
		return nil, nil, nil, err
	}
	data, later, wrong := t.withoutLater(data, gvk)
	for _, e := range later {
		unknown = append(unknown, e.Error())
	}
	return rest, unknown, wrong, kubejson.UnmarshalCaseSensitivePreserveInts(data, &rest)
}
