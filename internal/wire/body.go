package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/builtin"
)

// errMedia says that the media type of a body is not supported.
var errMedia = errors.New("unknown media type")

// FormatOf returns the format for the media type of a body. The default is JSON.
func FormatOf(contentType string) (Format, error) {
	if contentType == "" {
		return JSON, nil
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return "", errMedia
	}
	switch f := Format(mediaType); f {
	case JSON, YAML, Protobuf, CBOR:
		return f, nil
	}
	return "", errMedia
}

// Body returns the JSON of a body in the format. A body without a kind is taken to be of kind. lost may be nil.
func (f Format) Body(data []byte, kind schema.GroupVersionKind, lost Lost) ([]byte, error) {
	switch f {
	case YAML:
		return yaml.YAMLToJSON(data)
	case Protobuf:
		return decodeProtobuf(data, kind, lost)
	case CBOR:
		return FromCBOR(data)
	}
	return data, nil
}

// DuplicateKeys returns an error that names the keys that occur twice in a mapping of YAML, or nil if there are none. The
// JSON of [Format.Body] has the last of them.
func DuplicateKeys(data []byte) error {
	_, err := yaml.YAMLToJSONStrict(data)
	return err
}

func decodeProtobuf(data []byte, kind schema.GroupVersionKind, lost Lost) ([]byte, error) {
	data, found := bytes.CutPrefix(data, protobufPrefix)
	if !found {
		return nil, errors.New("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
	}
	var unknown runtime.Unknown
	if err := unknown.Unmarshal(data); err != nil {
		return nil, err
	}
	if declared := schema.FromAPIVersionAndKind(unknown.APIVersion, unknown.Kind); declared.Kind != "" {
		kind = declared
	}
	object, ok := builtin.New(kind)
	if !ok && kind.Kind == "DeleteOptions" {
		object, ok = builtin.New(schema.GroupVersionKind{Version: "v1", Kind: "DeleteOptions"})
	}
	if !ok || !hasMessage(object) {
		return nil, runtime.NewNotRegisteredErrForKind("pkg/runtime/scheme.go", kind)
	}
	if err := unmarshal(object, unknown.Raw); err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	text, err := json.Marshal(object)
	if err != nil && replaceUnreadable(object) {
		text, err = json.Marshal(object)
	}
	if err != nil || lost == nil {
		return text, err
	}
	return withLost(text, reflect.TypeOf(object).Elem(), unknown.Raw, lost)
}

// replaceUnreadable replaces managed fields that are not JSON, which JSON cannot contain, by others that cannot be read
// either. It reports whether there are any.
func replaceUnreadable(object runtime.Object) (replaced bool) {
	m, err := meta.Accessor(object)
	if err != nil {
		return false // a list, or options
	}
	for _, entry := range m.GetManagedFields() {
		if f := entry.FieldsV1; f != nil && len(f.Raw) > 0 && !json.Valid(f.Raw) {
			f.Raw, replaced = []byte(`"unreadable"`), true
		}
	}
	return replaced
}
