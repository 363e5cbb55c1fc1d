package admsimtest

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
)

// kindOf is the kind of an object that does not say it itself.
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

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
