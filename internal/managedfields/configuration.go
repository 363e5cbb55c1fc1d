package managedfields

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

func (s *fieldSchema) MergeConfiguration(obj runtime.Object, configuration map[string]any) (runtime.Object, error) {
	merged, err := s.merge(obj, configuration)
	if err != nil {
		return nil, fmt.Errorf("error applying patch: %w", err)
	}
	// This error gets no prefix, since the server converts the result later.
	return s.structured(merged)
}

// withoutSchema lists kinds that are only sent to subresources of other groups. The server looks up their types in the
// document of their own group, which does not have them.
var withoutSchema = []schema.GroupVersionKind{
	{Group: "authentication.k8s.io", Version: "v1", Kind: "TokenRequest"},
	{Group: "autoscaling", Version: "v1", Kind: "Scale"},
	{Group: "policy", Version: "v1", Kind: "Eviction"},
}

func (s *fieldSchema) merge(obj runtime.Object, configuration map[string]any) (runtime.Object, error) {
	kind := obj.GetObjectKind().GroupVersionKind()
	if slices.Contains(withoutSchema, kind) {
		return nil, fmt.Errorf("failed to convert patch object to typed object: no corresponding type for %v", kind)
	}
	config := &unstructured.Unstructured{Object: maps.Clone(configuration)}
	config.SetGroupVersionKind(kind)

	c := typeConverter{s}
	change, err := c.ObjectToTyped(config)
	if err != nil {
		return nil, fmt.Errorf("failed to convert patch object to typed object: %w", err)
	}
	if err := checkAtomic(change); err != nil {
		return nil, fmt.Errorf("invalid ApplyConfiguration: %w", err)
	}
	live, err := c.ObjectToTyped(obj, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("failed to convert original object to typed object: %w", err)
	}
	merged, err := live.Merge(change)
	if err != nil {
		return nil, fmt.Errorf("failed to merge patch: %w", err)
	}
	result, err := c.TypedToObject(merged)
	if err != nil {
		return nil, fmt.Errorf("failed to convert typed object to object: %w", err)
	}
	return result, nil
}

// checkAtomic refuses lists, maps and structs that would be replaced as a whole, since the author of the expression may
// not be aware of it.
func checkAtomic(change *typed.TypedValue) error {
	found := atomics(nil, change.Schema(), change.TypeRef(), change.AsValue())
	if len(found) == 0 {
		return nil
	}
	return errors.New("may not mutate atomic arrays, maps or structs: " + strings.Join(found, ", "))
}

// atomics lists the paths of atomic values, members sorted by name; the server visits them in any order.
func atomics(path fieldpath.Path, s *smdschema.Schema, ref smdschema.TypeRef, v value.Value) []string {
	atom, ok := s.Resolve(ref)
	if !ok {
		return nil
	}
	var found []string
	switch {
	case v.IsMap() && atom.Map != nil:
		if atom.Map.ElementRelationship == smdschema.Atomic {
			found = append(found, path.String())
		}
		members := v.AsMap()
		for _, name := range memberNames(members) {
			if field, ok := atom.Map.FindField(name); ok {
				member, _ := members.Get(name)
				found = append(found, atomics(appended(path, fieldpath.FieldNameElement(name)), s, field.Type, member)...)
			}
		}
	case v.IsList() && atom.List != nil:
		if atom.List.ElementRelationship == smdschema.Atomic {
			found = append(found, path.String())
		}
		for i := range v.AsList().Length() {
			found = append(found, atomics(appended(path, fieldpath.IndexElement(i)), s, atom.List.ElementType, v.AsList().At(i))...)
		}
	}
	return found
}

func memberNames(m value.Map) []string {
	var names []string
	m.Iterate(func(name string, _ value.Value) bool {
		names = append(names, name)
		return true
	})
	slices.Sort(names)
	return names
}

func appended(path fieldpath.Path, e fieldpath.PathElement) fieldpath.Path {
	return append(slices.Clip(path), e)
}
