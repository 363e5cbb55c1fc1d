package recorder

import (
	"bytes"
	"errors"
	"io"
	"time"
)

// largest is how much of a body is kept. It is far above what the API server sends, which
// takes 3 MiB a request.
const largest = 32 << 20

// An exchange is a call and its answer, as they passed.
type exchange struct {
	arrived  time.Time
	url      string // that was called
	latency  time.Duration
	request  bytes.Buffer
	status   int
	encoding string // of the response
	response bytes.Buffer
	err      error // why there was no answer
	large    bool  // too much of it to be kept
}

func (e *exchange) size() int64 { return int64(e.request.Len() + e.response.Len()) }

// answered notes when the answer was there.
func (e *exchange) answered(err error) {
	if e.latency == 0 {
		e.latency = max(time.Since(e.arrived), 1)
		e.err = err
	}
}

// A keptBody is the body of a response, kept while it is read.
type keptBody struct {
	io.ReadCloser
	exchange *exchange
}

func (b *keptBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if b.exchange.response.Len()+n <= largest {
		b.exchange.response.Write(into[:n])
	} else {
		b.exchange.large = true
	}
	switch {
	case errors.Is(err, io.EOF):
		b.exchange.answered(nil)
	case err != nil:
		b.exchange.answered(err)
	}
	return n, err
}
