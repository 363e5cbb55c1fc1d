package admsimtest

import (
	"encoding/json"
	"slices"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/testcluster"
)

// Into decodes the object in the answer into a Go value.
func (r *Result) Into(object any) *Result {
	r.t.Helper()
	r.hasObject()
	if err := json.Unmarshal(r.Object, object); err != nil {
		r.fatalf("the object of the answer: %v", err)
	}
	return r
}

// Equals checks that the object in the answer equals want, apart from its status and the fields that differ in every
// cluster: UID, times, versions, managed fields. Fields that are not set in want must not be set: want has to include
// the defaults of the API server.
func (r *Result) Equals(want runtime.Object) *Result {
	r.t.Helper()
	if diff := cmp.Diff(portable(r.wanted(want)), portable(r.got())); diff != "" {
		r.fatalf("the object differs (-want +got):\n%s", diff)
	}
	return r
}

// Contains checks that the object in the answer has every field that is set in part. Lists must have the same length,
// and each of their elements has to contain the corresponding element of part.
func (r *Result) Contains(part runtime.Object) *Result {
	r.t.Helper()
	want := r.wanted(part)
	if diff := cmp.Diff(want, only(want, r.got())); diff != "" {
		r.fatalf("the object does not have what is wanted (-want +got):\n%s", diff)
	}
	return r
}

// wanted returns an object as JSON, without fields that are not set.
func (r *Result) wanted(object runtime.Object) any {
	r.t.Helper()
	data, err := testcluster.Encode(object, r.scheme)
	if err != nil {
		r.t.Fatalf("admsimtest: %s", inert.Text(err.Error()))
	}
	return decoded(data)
}

func (r *Result) got() any {
	r.t.Helper()
	r.hasObject()
	return decoded(r.Object)
}

func (r *Result) hasObject() {
	r.t.Helper()
	if r.Object == nil {
		r.fatalf("the answer has no object")
	}
}

func decoded(data []byte) any {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		panic(err) // it was encoded here
	}
	return withoutEmpty(v)
}

// withoutEmpty returns v without fields that are null or empty mappings: Go types have some that cannot be omitted.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, value := range v {
			value = withoutEmpty(value)
			if m, ok := value.(map[string]any); value != nil && (!ok || len(m) > 0) {
				kept[key] = value
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i := range v {
			kept[i] = withoutEmpty(v[i])
		}
		return kept
	}
	return v
}

// portable returns an object without the fields that differ in every cluster.
func portable(v any) any {
	object, _ := v.(map[string]any)
	delete(object, "status")
	if metadata, ok := object["metadata"].(map[string]any); ok {
		for key := range metadata {
			if slices.Contains([]string{"uid", "creationTimestamp", "resourceVersion", "generation", "managedFields"}, key) {
				delete(metadata, key)
			}
		}
	}
	return object
}

// only returns the parts of got for which want has a value.
func only(want, got any) any {
	switch want := want.(type) {
	case map[string]any:
		fields, ok := got.(map[string]any)
		if !ok {
			return got
		}
		kept := map[string]any{}
		for key := range want {
			if value, ok := fields[key]; ok {
				kept[key] = only(want[key], value)
			}
		}
		return kept
	case []any:
		items, ok := got.([]any)
		if !ok || len(items) != len(want) {
			return got
		}
		kept := make([]any, len(items))
		for i := range items {
			kept[i] = only(want[i], items[i])
		}
		return kept
	}
	return got
}
