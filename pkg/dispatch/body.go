package dispatch

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// A body is what is sent in one call, built when it is first needed. Nil is
// none at all.
type body struct {
	review  *Review // nil: sent is there already
	version string
	uid     types.UID

	once sync.Once
	sent []byte
	err  error
}

// fixed is a body that is there already.
func fixed(text []byte) *body { return &body{sent: text} }

func (b *body) bytes() ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	if b.review != nil {
		b.once.Do(func() { b.sent, b.err = b.review.body(b.version, b.uid) })
	}
	return b.sent, b.err
}

// text is the body for the trace.
func (b *body) text() []byte {
	text, err := b.bytes()
	if err != nil {
		panic("dispatch: " + err.Error()) // the object came out of JSON, or was made by the server
	}
	return text
}
