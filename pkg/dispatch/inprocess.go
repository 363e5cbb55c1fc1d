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

// An InProcess is a webhook that is an [http.Handler] of this process: no port, no
// certificate. It gets the requests that it would get from kube-apiserver, and what it does
// is seen as over a connection: a panic closes it, an answer that is not there in time is
// late, with the request's context done. A handler that does not look at that goes on behind
// admsim's back, as it would behind the server's.
type InProcess struct {
	handler  http.Handler
	panicked func(c Call, value any, stack []byte)
	poster
}

// Handler returns the webhook that h is.
func Handler(h http.Handler) *InProcess {
	return &InProcess{handler: h, panicked: func(Call, any, []byte) {}, poster: newPoster(0, nil)}
}

// OnPanic returns a webhook that reports the panics of its handler as well, to all who ask for it.
func (p InProcess) OnPanic(report func(c Call, value any, stack []byte)) *InProcess {
	before := p.panicked
	p.panicked = func(c Call, value any, stack []byte) {
		before(c, value, stack)
		report(c, value, stack)
	}
	return &p
}

// Timed returns a webhook whose answers take as long as now says. Without, they take no
// time, so that the same input has the same output.
func (p InProcess) Timed(now func() time.Time) *InProcess {
	p.now = now
	return &p
}

// Call calls the handler.
func (p *InProcess) Call(ctx context.Context, c Call) Reply {
	reply := p.post(ctx, &inProcess{p, c}, c)
	reply.Err = naming(reply.Err, c)
	return reply
}

// A crash is a panic of a handler: for the server a connection that closes.
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

// Do does what a client does: most answers are what the handler said, and only those that lead
// elsewhere need one.
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

// answered is a connection on which the first answer is there already.
type answered struct {
	*inProcess
	first *http.Response
}

// RoundTrip is what the client does to follow an answer that leads elsewhere.
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

// serve runs the handler for a request, and returns when the headers of its answer would be
// there. Closed is called when its body is closed.
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
	err := ctx.Err() // also where the handler ended because of it
	if err == nil {
		var response *http.Response
		if response, err = w.response(ctx, closed); err == nil {
			return response, nil
		}
	}
	w.finish(err)
	return nil, err
}

// recover ends a handler that panics as its HTTP server does, which has nothing to say of
// [http.ErrAbortHandler], nor of one that ends its goroutine, as a failing test does.
func (t *inProcess) recover(w *handlerResponse) {
	value := recover()
	if value == nil {
		w.finish(closed(t.call.URL)) // unless it came to its end
		return
	}
	if value != http.ErrAbortHandler { //nolint:errorlint // as net/http compares
		t.panicked(t.call, value, debug.Stack())
	}
	w.finish(&crash{value, closed(t.call.URL)})
}

// arrived is a request as it comes out of the other end of a connection.
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

// TrustsItself tells that there is no certificate, so that no caBundle has to fit one.
func (*InProcess) TrustsItself() bool { return true }
