package objects

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
)

// A Codec reads the few kinds with which others answer the server. It knows the other built-in kinds as well: it can
// read their objects, but not convert them.
type Codec struct {
	runtime.Codec
	Types *Types
}

// Decode implements [runtime.Decoder].
func (c Codec) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	object, kind, err := c.Codec.Decode(data, defaults, into)
	if !runtime.IsNotRegisteredError(err) || into == nil || kind == nil || !builtin.Has(*kind) || isAlone(kind.Group) {
		return object, kind, err
	}
	if _, err := c.Types.Patched(data, *kind); err != nil {
		return nil, kind, err
	}
	return nil, kind, fmt.Errorf("converting (%s.%s) to (%s): unknown conversion", kind.Version, kind.Kind, strings.TrimPrefix(fmt.Sprintf("%T", into), "*"))
}
