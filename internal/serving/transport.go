package serving

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// A transport passes requests directly to a handler. Responses are streamed as over a connection: a client reads the
// events of a watch as they are written.
type transport struct{ handler http.Handler }

// RoundTrip returns as soon as the handler has started to respond.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	asked := req.Clone(ctx)
	asked.RequestURI = req.URL.RequestURI()
	asked.RemoteAddr = "127.0.0.1:0"
	if asked.Host == "" {
		asked.Host = req.URL.Host
	}
	if asked.Body == nil {
		asked.Body = http.NoBody
	}
	read, write := io.Pipe()
	w := &writer{header: http.Header{}, body: write, begun: make(chan struct{})}
	go func() {
		defer func() {
			var cut error
			if recover() != nil { // http.ErrAbortHandler; other panics are answered
				cut = io.ErrUnexpectedEOF
				w.abort()
			}
			w.WriteHeader(http.StatusOK)
			_ = write.CloseWithError(cut)
			_ = asked.Body.Close()
		}()
		t.handler.ServeHTTP(w, asked)
	}()
	select {
	case <-w.begun:
	case <-req.Context().Done():
		cancel()
		_ = read.CloseWithError(req.Context().Err())
		return nil, req.Context().Err()
	}
	if w.code == 0 {
		cancel()
		_ = read.Close()
		return nil, io.ErrUnexpectedEOF
	}
	response := &http.Response{
		Status: strconv.Itoa(w.code) + " " + http.StatusText(w.code), StatusCode: w.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: &body{read, cancel}, ContentLength: -1, Request: req,
	}
	if n, err := strconv.ParseInt(w.sent.Get("Content-Length"), 10, 64); err == nil {
		response.ContentLength = n
	}
	return response, nil
}

// A body cancels the request when it is closed.
type body struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (b *body) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

// A writer streams a response as it is written.
type writer struct {
	header http.Header
	body   *io.PipeWriter
	begun  chan struct{}

	once sync.Once
	code int // 0: the connection broke before there was a response
	sent http.Header
}

// abort ends a response that has not begun.
func (w *writer) abort() { w.once.Do(func() { close(w.begun) }) }

func (w *writer) Header() http.Header { return w.header }

func (w *writer) WriteHeader(code int) {
	w.once.Do(func() {
		w.code, w.sent = code, w.header.Clone()
		close(w.begun)
	})
}

func (w *writer) Write(data []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(data)
}

// Flush does nothing: written data is read immediately.
func (w *writer) Flush() {}
