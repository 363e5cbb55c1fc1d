package recorder

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// maxBody limits how much of a body is kept. It is far above what the API server sends, which accepts 3 MiB per
// request.
const maxBody = 32 << 20

// An exchange is a call and its answer, as they were sent.
type exchange struct {
	arrived  time.Time
	url      string // the URL that was called
	at       string // the URL of the same call at the recorder
	latency  time.Duration
	request  bytes.Buffer
	status   int
	encoding string // of the response
	response bytes.Buffer
	err      error // why there was no answer
	large    bool  // the body is too large to be kept
	crowded  bool  // too much of other bodies is kept already

	room  *atomic.Int64 // shared by all exchanges
	taken int64         // how much of room this exchange uses
}

var errCrowded = errors.New("the bodies of other calls use up the memory")

// take reserves room for n bytes to keep, and reports whether there was enough.
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

// keep reads and keeps as much of a body as it may, and returns the rest.
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
		if e.request.Len() > maxBody {
			e.large = true
			return body
		}
	}
}

// A failed reader returns the error at which a body ended: io.EOF, or why it was cut off.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

// A keptRequest keeps the body of a request while it is read, as long as there is room.
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

// answered records when the answer was complete.
func (e *exchange) answered(err error) {
	if e.latency == 0 {
		e.latency = max(time.Since(e.arrived), 1)
		e.err = err
	}
}

// A keptBody keeps the body of a response while it is read.
type keptBody struct {
	io.ReadCloser
	exchange *exchange
}

func (b *keptBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	switch {
	case b.exchange.response.Len()+n > maxBody:
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
