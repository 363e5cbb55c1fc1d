package steps

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/report/document"
)

// The seenObjects of a request are its objects as values of JSON, each decoded once: what one
// step left is what the next one found, and it is compared with both and shown. What two of them
// have in common is there once, as most of an object stays as it is. Nobody changes the values.
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

// sharing is v with the parts of another value that are the same in both. Items of a list are compared with
// those as far from its beginning, and behind the first that differs, as far from its end. It changes v.
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

// identical reports whether two values are one, or the same text, number or truth.
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
		return false // which cannot be compared as below
	}
	return a == b
}
