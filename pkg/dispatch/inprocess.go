package dispatch

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"time"
)

// An InProcess is a webhook that is an http.Handler in this process, without a port or certificate. It gets the
// requests that kube-apiserver would send, and is treated as if it were behind a connection: a panic closes the
// connection, and an answer that comes too late has timed out, with the context of its request done. A handler that
// ignores the context continues in the background, as it would in a server of its own.
type InProcess struct {
	handler  http.Handler
	panicked func(c Call, value any, stack []byte)
	poster
}

// Handler returns a webhook that calls an HTTP handler.
func Handler(h http.Handler) *InProcess {
	return &InProcess{handler: h, panicked: func(Call, any, []byte) {}, poster: newPoster(0, nil)}
}

// OnPanic returns a webhook that also passes the panics of its handler to report.
func (p InProcess) OnPanic(report func(c Call, value any, stack []byte)) *InProcess {
	before := p.panicked
	p.panicked = func(c Call, value any, stack []byte) {
		before(c, value, stack)
		report(c, value, stack)
	}
	return &p
}

// Timed returns a webhook whose answers take the time that now measures. Otherwise they take no time, so that the same
// input has the same output.
func (p InProcess) Timed(now func() time.Time) *InProcess {
	p.now = now
	return &p
}

// NoTimeouts returns a webhook without timeouts, for example one in a debugger. Its answers take no time then.
func (p InProcess) NoTimeouts() *InProcess {
	p.endless = true
	return &p
}

// Call calls the handler.
func (p *InProcess) Call(ctx context.Context, c Call) Reply {
	reply := p.post(ctx, &inProcess{p, c}, c)
	reply.Err = withName(reply.Err, c)
	return reply
}

// A crash is a panic of a handler. The server sees a connection that closes.
type crash struct {
	value any
	seen  error
}

func (c *crash) Error() string { return c.seen.Error() }
func (c *crash) Unwrap() error { return c.seen }

// inProcess is the connection to a handler for one call.
type inProcess struct {
	*InProcess
	call Call
}

// Do sends a request as a client does. Most answers are returned as the handler gave them; only redirects need a real
// client.
func (t *inProcess) Do(sent *http.Request) (*http.Response, error) {
	response, err := t.serve(arrived(sent), nothing)
	if err != nil || response.Header.Get("Location") == "" {
		return response, err
	}
	if sent, err = t.request(sent.Context(), t.call); err != nil {
		return nil, err
	}
	return (&http.Client{Transport: &answered{t, response}}).Do(sent)
}

func nothing() {}

// answered is a connection whose first answer has already arrived.
type answered struct {
	*inProcess
	first *http.Response
}

// RoundTrip lets the client follow a redirect.
func (a *answered) RoundTrip(r *http.Request) (*http.Response, error) {
	if first := a.first; first != nil {
		a.first = nil
		return first, nil
	}
	if to := hostOf(r.URL.String()); to != hostOf(a.call.URL) {
		return nil, &NoAnswerError{Reason: "its handler redirects to " + to + ", which is not in this process"}
	}
	ctx, cancel := context.WithCancel(r.Context())
	response, err := a.serve(arrived(r.Clone(ctx)), cancel)
	if err != nil {
		cancel()
	}
	return response, err
}

// serve runs the handler for a request, and returns when the headers of its answer would have arrived. It calls closed
// when the body is closed.
func (t *inProcess) serve(r *http.Request, closed context.CancelFunc) (*http.Response, error) {
	ctx := r.Context()
	w := newHandlerResponse()
	go func() {
		defer t.recover(w)
		t.handler.ServeHTTP(w, r)
		w.finish(nil)
	}()
	select {
	case <-w.started:
	case <-ctx.Done():
	}
	err := ctx.Err() // even if the handler ended because of it
	if err == nil {
		var response *http.Response
		if response, err = w.response(ctx, closed); err == nil {
			return response, nil
		}
	}
	w.finish(err)
	return nil, err
}

// recover ends a handler that panicked, as its HTTP server would. The server logs nothing about [http.ErrAbortHandler],
// or about handlers that end their goroutine, as a failing test does.
func (t *inProcess) recover(w *handlerResponse) {
	value := recover()
	if value == nil {
		w.finish(t.call.closed()) // no effect if the handler finished
		return
	}
	if value != http.ErrAbortHandler { //nolint:errorlint // as net/http compares
		t.panicked(t.call, value, debug.Stack())
	}
	w.finish(&crash{value, t.call.closed()})
}

// arrived returns a request as it arrives at the other end of a connection.
func arrived(r *http.Request) *http.Request {
	to := *r.URL
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/1.1", 1, 1
	r.Host, r.RequestURI = to.Host, to.RequestURI()
	*r.URL = url.URL{Path: to.Path, RawPath: to.RawPath, RawQuery: to.RawQuery}
	r.RemoteAddr = "127.0.0.1:65535"
	if to.Scheme == "https" {
		r.TLS = &tls.ConnectionState{Version: tls.VersionTLS13, HandshakeComplete: true, ServerName: to.Hostname(), NegotiatedProtocol: "http/1.1"}
	}
	r.GetBody, r.Cancel, r.Response = nil, nil, nil //nolint:staticcheck // those of clients, even where they are deprecated
	r.Header = r.Header.Clone()
	r.Header.Set("Accept-Encoding", "gzip")
	if r.Body == nil {
		r.Body = http.NoBody
	} else {
		r.Header.Set("Content-Length", strconv.FormatInt(r.ContentLength, 10))
	}
	return r
}

// TrustsItself returns true: there is no certificate that has to match a caBundle.
func (*InProcess) TrustsItself() bool { return true }
