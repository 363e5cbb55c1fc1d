package recorder

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// largest is how much of a body is kept. It is far above what the API server sends, which
// takes 3 MiB a request.
const largest = 32 << 20

// An exchange is a call and its answer, as they passed.
type exchange struct {
	arrived  time.Time
	url      string // that was called
	at       string // the same at the recorder
	latency  time.Duration
	request  bytes.Buffer
	status   int
	encoding string // of the response
	response bytes.Buffer
	err      error // why there was no answer
	large    bool  // too much of it to be kept
	crowded  bool  // too much of others is kept

	room  *atomic.Int64 // that all exchanges share
	taken int64         // of it
}

var errCrowded = errors.New("the bodies of other calls use up the memory")

// take takes room for bytes that are kept, and reports whether there is some.
func (e *exchange) take(n int) bool {
	if e.room == nil {
		return true
	}
	if e.room.Add(-int64(n)) < 0 {
		e.room.Add(int64(n))
		e.crowded = true
		return false
	}
	e.taken += int64(n)
	return true
}

func (e *exchange) release() {
	if e.room != nil {
		e.room.Add(e.taken)
	}
}

// keep keeps a body as far as it may, and returns the rest.
func (e *exchange) keep(body io.Reader) (rest io.Reader) {
	piece := make([]byte, 32<<10)
	for {
		n, err := body.Read(piece)
		if !e.take(n) {
			return io.MultiReader(bytes.NewReader(piece[:n]), body)
		}
		e.request.Write(piece[:n])
		if err != nil {
			return failed{err}
		}
		if e.request.Len() > largest {
			e.large = true
			return body
		}
	}
}

// A failed reader is at the end of a body, or where it was cut off.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

// A keptRequest is the body of a request that is kept, as long as there is room for it.
type keptRequest struct {
	io.Reader
	exchange *exchange
}

func (r keptRequest) Read(into []byte) (int, error) {
	n, err := r.Reader.Read(into)
	if !r.exchange.take(n) {
		return 0, errCrowded
	}
	return n, err
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
	switch {
	case b.exchange.response.Len()+n > largest:
		b.exchange.large = true
	case !b.exchange.crowded && b.exchange.take(n):
		b.exchange.response.Write(into[:n])
	}
	switch {
	case errors.Is(err, io.EOF):
		b.exchange.answered(nil)
	case err != nil:
		b.exchange.answered(err)
	}
	return n, err
}
