package door_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/door"
)

// A handler answers /slow when told to, and everything else at once.
type handler struct {
	asked, answer chan struct{}
	closed        chan struct{}
}

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/slow" {
		close(h.asked)
		<-h.answer
	}
	_, _ = io.WriteString(w, "answered")
}

func (h handler) Close() { close(h.closed) }

// A server that ends still answers requests in progress, and does not wait for idle clients.
func TestEnd(t *testing.T) {
	now := time.Now()
	authority, err := certificate.NewAuthority(now)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := authority.Issue(now, certificate.Local()...)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := door.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := handler{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- door.Serve(ctx, listener, h, pair, nil) }()

	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.Bundle())
	get := func(path string) string {
		c := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
		answer, err := c.Get(door.Reached(listener.Addr().String()) + path)
		if err != nil {
			return err.Error()
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.ProtoMajor != 2 {
			t.Errorf("%s: HTTP/%d, %v", path, answer.ProtoMajor, err)
		}
		return string(text)
	}
	if got := get("/"); got != "answered" { // this client stays connected and idle
		t.Fatal(got)
	}
	slow := make(chan string, 1)
	go func() { slow <- get("/slow") }()
	<-h.asked
	end()
	<-h.closed
	select {
	case err := <-ended:
		t.Fatalf("the server ended during a request: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	began := time.Now()
	close(h.answer)
	if got := <-slow; got != "answered" {
		t.Errorf("the request before the end: %s", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 500*time.Millisecond {
		t.Errorf("the server ended after %v", took)
	}
}
