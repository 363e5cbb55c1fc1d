package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// An encoder writes the JSON of objects as a release does.
type encoder interface {
	Encode(runtime.Object) ([]byte, error)
	// Lost returns a [Lost] for a kind, or for the kind of a list.
	Lost(schema.GroupVersionKind) func(typeName, name string) bool
}

// protobufPrefix begins every object in protocol buffers:
// kubernetes/apimachinery:pkg/runtime/serializer/protobuf/protobuf.go.
var protobufPrefix = []byte{0x6b, 0x38, 0x73, 0x00}

// Encode writes an object in the format.
func (m Media) Encode(e encoder, object runtime.Object) ([]byte, error) {
	if m.Format == Protobuf {
		return encodeProtobuf(e, object)
	}
	data, err := e.Encode(object)
	if err != nil {
		return nil, err
	}
	return m.FromJSON(data, reflect.TypeOf(object))
}

// FromJSON writes the JSON of a Go type in the format, which must not be protocol buffers.
func (m Media) FromJSON(data []byte, of reflect.Type) ([]byte, error) {
	switch {
	case m.Format == YAML:
		return yaml.JSONToYAML(data)
	case m.Format == CBOR:
		return cborOf(data)
	case m.Pretty && m.Iterated:
		return indentIterated(data, of), nil
	case m.Pretty:
		var b bytes.Buffer
		if err := json.Indent(&b, data, "", "  "); err != nil {
			return nil, err
		}
		return b.Bytes(), nil
	}
	return append(data, '\n'), nil
}

func encodeProtobuf(e encoder, object runtime.Object) ([]byte, error) {
	kind := object.GetObjectKind().GroupVersionKind()
	raw, err := Lost(e.Lost(kind)).marshal(e, object)
	if err != nil {
		return nil, err
	}
	unknown := runtime.Unknown{Raw: raw}
	unknown.APIVersion, unknown.Kind = kind.ToAPIVersionAndKind()
	data, err := unknown.Marshal()
	if err != nil {
		return nil, err
	}
	return append(bytes.Clone(protobufPrefix), data...), nil
}

// StreamType returns the media type of a stream of events in the format.
func (m Media) StreamType() string {
	switch m.Format {
	case Protobuf:
		return string(Protobuf) + ";stream=watch"
	case CBOR:
		return runtime.ContentTypeCBORSequence
	}
	return string(m.Format)
}

// Event writes one event of a watch with its framing: JSON one per line, protocol buffers after their length, CBOR
// without any. object is already in the format.
func (m Media) Event(kind string, object []byte) ([]byte, error) {
	switch m.Format {
	case JSON:
		object = bytes.TrimSuffix(object, []byte("\n"))
		frame := make([]byte, 0, len(object)+len(kind)+24)
		frame = append(frame, `{"type":"`...)
		frame = append(frame, kind...)
		frame = append(frame, `","object":`...)
		frame = append(frame, object...)
		return append(frame, "}\n"...), nil
	case CBOR:
		return cborEvent(kind, object)
	case Protobuf:
		event := metav1.WatchEvent{Type: kind, Object: runtime.RawExtension{Raw: object}}
		data, err := event.Marshal()
		if err != nil {
			return nil, err
		}
		n := len(data)
		return append([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, data...), nil
	}
	return nil, errors.New("there are no streams of YAML")
}
