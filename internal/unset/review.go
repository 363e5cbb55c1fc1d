package unset

import (
	"bytes"
	"io"

	"k8s.io/apimachinery/pkg/runtime"
)

// A Codec writes a null creationTimestamp into objects without metadata of their own: the reviews that a server sends
// to webhooks.
type Codec struct{ runtime.Codec }

// Encode implements [runtime.Encoder].
func (c Codec) Encode(obj runtime.Object, w io.Writer) error {
	text, err := runtime.Encode(c.Codec, obj)
	if err != nil {
		return err
	}
	_, err = w.Write(bytes.Replace(text, []byte(`"metadata":{}`), []byte(`"metadata":{"creationTimestamp":null}`), 1))
	return err
}
