package testcluster

import (
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
)

// Encode returns an object as JSON with its kind. s knows the kinds of types that are not built in; it may be nil.
func Encode(object runtime.Object, s *runtime.Scheme) ([]byte, error) {
	if object == nil {
		return nil, errors.New("nil is no object")
	}
	data, err := json.Marshal(object)
	if err != nil || !object.GetObjectKind().GroupVersionKind().Empty() {
		return data, err
	}
	kind, err := kindOf(object, s)
	if err != nil {
		return nil, err
	}
	var whole map[string]any
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, err
	}
	whole["apiVersion"], whole["kind"] = kind.GroupVersion().String(), kind.Kind
	return json.Marshal(whole)
}

// kindOf returns the kind of an object that does not state it itself.
func kindOf(object runtime.Object, s *runtime.Scheme) (schema.GroupVersionKind, error) {
	if kind, err := builtin.KindOf(object); err == nil {
		return kind, nil
	}
	if s == nil {
		return schema.GroupVersionKind{}, fmt.Errorf("what kind is a %T? Set its TypeMeta, or give a Scheme that knows it", object)
	}
	kinds, _, err := s.ObjectKinds(object)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return kinds[0], nil
}
