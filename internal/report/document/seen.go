package document

import (
	"bytes"
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
)

// The seenObjects of a request are its objects as values of JSON, each decoded once: what one
// step left is what the next one found, and it is compared with both and shown. Nobody changes
// the values.
type seenObjects struct {
	types  *objects.Types
	values map[runtime.Object]any
}

func newSeenObjects(types *objects.Types) *seenObjects {
	return &seenObjects{types, map[runtime.Object]any{}}
}

func (s *seenObjects) value(o runtime.Object) (any, error) {
	if v, ok := s.values[o]; ok {
		return v, nil
	}
	text, err := s.types.Encode(o)
	if err != nil {
		return nil, err
	}
	v, err := Decoded(text)
	if err == nil {
		s.values[o] = v
	}
	return v, err
}

// forget frees the values, where the result is kept.
func (s *seenObjects) forget() {
	if s != nil {
		clear(s.values)
	}
}

// Decoded is text as JSON, with numbers as they are written.
func Decoded(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
