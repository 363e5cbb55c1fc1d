package jsonread

import (
	"encoding/json"
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Codec is one of today's codecs with the errors of a release: it reads what services answer to the server.
type Codec struct {
	runtime.Codec
	Scheme  *runtime.Scheme      // has the types that the codec reads
	Release *kubeversion.Release // nil: the newest
}

const (
	unknownConversion = ": unknown conversion"
	// Before, the server tried to fill in the fields of a review, which has one more than a Status from the start.
	firstOfReviews = ": Request not present in src"
)

// Decode implements [runtime.Decoder].
func (c Codec) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	object, kind, err := c.Codec.Decode(data, defaults, into)
	if err == nil || c.Release == nil {
		return object, kind, err
	}
	if first, ok := strings.CutSuffix(err.Error(), unknownConversion); ok && kind.Kind == "Status" && !c.Release.Has(kubeversion.NamedConversionsOnly) {
		return nil, kind, errors.New(first + firstOfReviews)
	}
	text, notYAML := yaml.ToJSON(data)
	if notYAML != nil {
		return object, kind, err
	}
	named, known := c.kindOf(text, defaults, into)
	read, unknown := c.Scheme.New(named)
	if !known || unknown != nil {
		return object, kind, err
	}
	if err := Error(err, text, read, named, c.Release); err != nil {
		return nil, kind, err
	}
	if text, err = json.Marshal(read); err != nil {
		return nil, kind, err
	}
	return c.Codec.Decode(text, defaults, into)
}

// kindOf returns the kind that an object names, completed by those that are expected.
func (c Codec) kindOf(text []byte, defaults *schema.GroupVersionKind, into runtime.Object) (kind schema.GroupVersionKind, ok bool) {
	named, err := jsonserializer.DefaultMetaFactory.Interpret(text)
	if err != nil {
		return kind, false
	}
	kind = *named
	if defaults != nil {
		kind = WithDefaults(kind, *defaults)
	}
	if into != nil {
		if expected, _, err := c.Scheme.ObjectKinds(into); err == nil {
			kind = WithDefaults(kind, expected[0])
		}
	}
	return kind, true
}

// WithDefaults completes the kind in a body. A group without a version is ignored:
// kubernetes/apimachinery:pkg/runtime/serializer/json/json.go.
func WithDefaults(said, defaults schema.GroupVersionKind) schema.GroupVersionKind {
	if said.Kind == "" {
		said.Kind = defaults.Kind
	}
	if said.Version == "" && said.Group == "" {
		said.Group, said.Version = defaults.Group, defaults.Version
	}
	if said.Version == "" && said.Group == defaults.Group {
		said.Version = defaults.Version
	}
	return said
}
