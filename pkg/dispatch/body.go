package dispatch

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// A body is what is sent in one call, built when it is first needed. A nil body is empty.
type body struct {
	review  *Review // nil: sent is set already
	version string
	uid     types.UID

	once sync.Once
	sent []byte
	err  error
}

// fixed returns a body with the given text.
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

// text returns the body for the trace.
func (b *body) text() []byte {
	text, err := b.bytes()
	if err != nil {
		panic("dispatch: " + err.Error()) // the object was decoded from JSON or created by the server
	}
	return text
}
