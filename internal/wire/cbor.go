package wire

import (
	"bytes"
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// cborPrefix begins every object in CBOR: kubernetes/apimachinery:pkg/runtime/serializer/cbor/cbor.go.
var cborPrefix = []byte{0xd9, 0xd9, 0xf7}

// cborOf writes JSON as CBOR. Base64 strings stay as they are.
func cborOf(data []byte) ([]byte, error) {
	var v any
	if err := utiljson.Unmarshal(data, &v); err != nil { // this Unmarshal keeps integers as integers
		return nil, err
	}
	return marshalCBOR(v)
}

func marshalCBOR(v any) ([]byte, error) {
	data, err := direct.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(bytes.Clone(cborPrefix), data...), nil
}

// FromCBOR returns the JSON of a body in CBOR.
func FromCBOR(data []byte) ([]byte, error) {
	var v any
	if err := direct.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// cborEvent returns one event of a watch. Events follow each other without a separator.
func cborEvent(kind string, object []byte) ([]byte, error) {
	return marshalCBOR(map[string]any{"type": kind, "object": runtime.RawExtension{Raw: object}})
}
