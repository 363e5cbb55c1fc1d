package steps

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/report/document"
)

// seenObjects holds the objects of a request as JSON values, each decoded once: the result of one step is the input of
// the next, and is compared and shown several times. Parts that two objects have in common are stored once, as most of
// an object stays the same. The values must not be changed.
type seenObjects struct {
	types  *objects.Types
	values map[runtime.Object]any
	last   any // of values
}

func newSeenObjects(types *objects.Types) *seenObjects {
	return &seenObjects{types: types, values: map[runtime.Object]any{}}
}

func (s *seenObjects) value(o runtime.Object) (any, error) {
	if v, ok := s.values[o]; ok {
		return v, nil
	}
	text, err := s.types.Encode(o)
	if err != nil {
		return nil, err
	}
	v, err := document.Decoded(text)
	if err != nil {
		return nil, err
	}
	s.last = sharing(v, s.last)
	s.values[o] = s.last
	return s.last, nil
}

// sharing replaces the parts of v that are the same in another value by those of that value, and returns the result.
// Items of a list are compared with the items at the same position or, after the first difference, at the same position
// from the end. It changes v.
func sharing(v, with any) any {
	switch v := v.(type) {
	case map[string]any:
		other, ok := with.(map[string]any)
		if !ok {
			return v
		}
		same := len(v) == len(other)
		for name, member := range v {
			v[name] = sharing(member, other[name])
			same = same && identical(v[name], other[name])
		}
		if same {
			return other
		}
	case []any:
		other, ok := with.([]any)
		if !ok {
			return v
		}
		same := len(v) == len(other)
		for i, shift := 0, 0; i < len(v); i++ {
			at := i + shift
			if at < 0 || at >= len(other) {
				continue
			}
			if v[i] = sharing(v[i], other[at]); !identical(v[i], other[at]) {
				same, shift = false, len(other)-len(v)
			}
		}
		if same {
			return other
		}
	}
	return v
}

// identical reports whether two values are the same object in memory, or equal strings, numbers or booleans.
func identical(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
	case []any:
		b, ok := b.([]any)
		return ok && len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
	}
	switch b.(type) {
	case map[string]any, []any:
		return false // slices cannot be compared as below
	}
	return a == b
}
