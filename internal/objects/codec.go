package objects

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/jsonread"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Codec reads the few kinds with which others answer the server. It knows the other built-in kinds as well: it can
// read their objects, but not convert them.
type Codec struct {
	runtime.Codec
	Scheme  *runtime.Scheme // has the types that the codec reads
	Types   *Types
	Release *kubeversion.Release
}

// Decode implements [runtime.Decoder].
func (c Codec) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	codec := jsonread.Codec{Codec: c.Codec, Scheme: c.Scheme, Release: c.Release}
	object, kind, err := codec.Decode(data, defaults, into)
	if !runtime.IsNotRegisteredError(err) || into == nil || kind == nil || !builtin.Has(*kind) || isAlone(kind.Group) {
		return object, kind, err
	}
	if _, err := c.Types.Patched(data, *kind); err != nil {
		return nil, kind, err
	}
	return nil, kind, fmt.Errorf("converting (%s.%s) to (%s): unknown conversion", kind.Version, kind.Kind, strings.TrimPrefix(fmt.Sprintf("%T", into), "*"))
}
