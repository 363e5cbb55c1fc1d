package dispatch

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// A handlerResponse is the answer of a handler in transit. As in net/http, the headers are sent when the handler
// flushes, has written more than a buffer holds, or is done.
type handlerResponse struct {
	header  http.Header // the handler's
	started chan struct{}

	mu      sync.Mutex
	changed sync.Cond
	begun   bool         // started is closed
	status  int          // 0: not known yet
	sent    http.Header  // header when the status became known
	text    bytes.Buffer // written, but not read yet
	done    bool
	failed  error // why it is done, if the handler did not finish
	lost    bool  // it failed before the headers were sent
}

func newHandlerResponse() *handlerResponse {
	w := &handlerResponse{header: http.Header{}, started: make(chan struct{})}
	w.changed.L = &w.mu
	return w
}

const (
	// serverBuffer is how much a handler can write before net/http sends the headers.
	serverBuffer = 2048
	// onTheWay is how much it can write before the client has to read, as between sockets.
	onTheWay = 64 << 10
)

// Header, WriteHeader, Write and Flush are called by the handler.
func (w *handlerResponse) Header() http.Header { return w.header }

func (w *handlerResponse) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("invalid WriteHeader code %v", status)) // as net/http does
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if status >= 200 || status == http.StatusSwitchingProtocols {
		w.writeHeader(status)
	}
}

func (w *handlerResponse) writeHeader(status int) {
	if w.status == 0 {
		w.status, w.sent = status, w.header.Clone()
	}
}

func (w *handlerResponse) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.text.Len() > onTheWay && !w.done {
		w.changed.Wait()
	}
	if w.done {
		return 0, io.ErrClosedPipe
	}
	w.writeHeader(http.StatusOK)
	if !hasBody(w.status) {
		return 0, http.ErrBodyNotAllowed
	}
	n, err := w.text.Write(b)
	if w.text.Len() > serverBuffer {
		w.begin()
	}
	return n, err
}

// hasBody reports whether an answer with that status can have a body. Otherwise a server sends none, whatever is
// written.
func hasBody(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

func (w *handlerResponse) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(http.StatusOK)
	w.begin()
}

// begin sends what was written so far.
func (w *handlerResponse) begin() {
	if !w.begun {
		w.begun = true
		close(w.started)
	}
	w.changed.Broadcast()
}

// finish ends the answer. If something failed, it ends in the middle.
func (w *handlerResponse) finish(failed error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return
	}
	if failed == nil {
		w.writeHeader(http.StatusOK)
	}
	w.done, w.failed, w.lost = true, failed, failed != nil && !w.begun
	w.begin()
}

// response returns the answer as the client sees it once the headers have arrived.
func (w *handlerResponse) response(ctx context.Context, closed context.CancelFunc) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost {
		return nil, w.failed
	}
	header := w.sent
	if w.text.Len() > 0 && header.Get("Content-Type") == "" && header.Get("Content-Encoding") == "" {
		header.Set("Content-Type", http.DetectContentType(w.text.Bytes()))
	}
	r := &http.Response{
		StatusCode: w.status, Status: strconv.Itoa(w.status) + " " + http.StatusText(w.status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, ContentLength: -1,
	}
	if declared := header.Get("Content-Length"); declared != "" {
		if length, err := strconv.ParseInt(declared, 10, 64); err == nil && length >= 0 {
			r.ContentLength = length
		}
	}
	body := &handlerBody{handlerResponse: w, ctx: ctx, closed: closed, length: r.ContentLength, unwatch: unwatched}
	if !w.done {
		body.unwatch = context.AfterFunc(ctx, func() { w.finish(ctx.Err()) })
	}
	r.Body = body
	if strings.EqualFold(header.Get("Content-Encoding"), "gzip") { // the client asked for gzip
		r.Body = &unzipped{body: body}
		header.Del("Content-Encoding")
		header.Del("Content-Length")
		r.ContentLength, r.Uncompressed = -1, true
	}
	return r, nil
}

func unwatched() bool { return true }

// A handlerBody is the body of an answer. The handler may still be writing it.
type handlerBody struct {
	*handlerResponse
	ctx     context.Context //nolint:containedctx // that of the one call that reads it
	closed  context.CancelFunc
	unwatch func() bool
	length  int64 // as declared; -1: not declared
	total   int64 // bytes read
}

func (b *handlerBody) Read(into []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		if b.text.Len() > 0 {
			n, err := b.text.Read(into)
			b.total += int64(n)
			b.changed.Broadcast()
			return n, err
		}
		switch {
		case !b.done:
			b.changed.Wait()
		case b.ctx.Err() != nil:
			return 0, b.ctx.Err()
		case b.failed != nil || b.total < b.length:
			return 0, io.ErrUnexpectedEOF
		default:
			return 0, io.EOF
		}
	}
}

// whole returns the body without reading it, if there is one and the handler is done.
func (b *handlerBody) whole() ([]byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := b.text.Bytes()
	return text, len(text) > 0 && int64(len(text)) >= b.length && b.done && b.failed == nil
}

func (b *handlerBody) Close() error {
	b.unwatch()
	b.finish(io.ErrClosedPipe)
	b.closed()
	return nil
}

// unzipped decompresses a body, as the client does.
type unzipped struct {
	body io.ReadCloser
	text *gzip.Reader
}

func (u *unzipped) Read(into []byte) (int, error) {
	if u.text == nil {
		var err error
		if u.text, err = gzip.NewReader(u.body); err != nil {
			return 0, err
		}
	}
	return u.text.Read(into)
}

func (u *unzipped) Close() error { return u.body.Close() }
