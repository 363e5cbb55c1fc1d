package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"

	"github.com/admsim/admsim/internal/certificate"
)

// A Forward is a webhook that calls are forwarded to.
type Forward struct {
	to        *url.URL
	transport http.RoundTripper
}

// NewForward returns a webhook that is called at the URL to, trusted as trust says. If to has a path, every call goes
// there; otherwise each call keeps its own path.
func NewForward(to string, trust certificate.Trust) (*Forward, error) {
	u, err := url.Parse(to)
	switch {
	case err != nil:
		return nil, err
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return nil, fmt.Errorf("%q is not the URL of a webhook, such as https://host/path", to)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return nil, fmt.Errorf("%q has more than a host and a path", to)
	}
	config, err := trust.Client()
	if err != nil {
		return nil, err
	}
	return &Forward{to: u, transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSClientConfig:     config,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 256,
		IdleConnTimeout:     idleTimeout,
		TLSHandshakeTimeout: headerTimeout,
		DisableCompression:  true, // the encodings that the caller accepts are passed on
	}}, nil
}

// Close closes idle connections.
func (f *Forward) Close() { f.transport.(*http.Transport).CloseIdleConnections() }

// serve forwards a call, passes the answer back, and keeps both.
func (f *Forward) serve(w http.ResponseWriter, call *http.Request, e *exchange) {
	// Read everything first: the proxy may still be reading the body after the answer.
	rest := e.keep(call.Body)
	call.Body = body{io.MultiReader(bytes.NewReader(e.request.Bytes()), rest), call.Body}
	proxy := httputil.ReverseProxy{
		Transport: f.transport,
		ErrorLog:  log.New(io.Discard, "", 0), // the recording has the error
		Rewrite: func(p *httputil.ProxyRequest) {
			f.rewrite(p)
			e.url = p.Out.URL.Redacted()
		},
		ModifyResponse: func(response *http.Response) error {
			e.status = response.StatusCode
			e.encoding = response.Header.Get("Content-Encoding")
			response.Body = &keptBody{ReadCloser: response.Body, exchange: e}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			e.answered(err)
			http.Error(w, "admsim record: the webhook does not answer: "+err.Error(), http.StatusBadGateway)
		},
	}
	// For a response body that does not end, or whose reader went away.
	defer e.answered(errCutOff)
	proxy.ServeHTTP(w, call)
}

type body struct {
	io.Reader
	io.Closer
}

var errCutOff = errors.New("the answer was cut off")

// rewrite keeps everything that the proxy would remove or add.
func (f *Forward) rewrite(p *httputil.ProxyRequest) {
	p.Out.URL.Scheme, p.Out.URL.Host = f.to.Scheme, f.to.Host
	p.Out.URL.RawQuery = p.In.URL.RawQuery
	if f.to.Path != "" {
		p.Out.URL.Path, p.Out.URL.RawPath = f.to.Path, f.to.RawPath
	}
	p.Out.Host = f.to.Host
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := p.In.Header[name]; ok {
			p.Out.Header[name] = values
		}
	}
}
