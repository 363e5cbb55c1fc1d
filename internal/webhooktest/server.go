package webhooktest

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
)

// A Server serves HTTP/1.1 and HTTP/2 over TLS on loopback, until the test ends.
type Server struct {
	Address string // host:port

	open     atomic.Int64
	accepted atomic.Int64
}

// Open returns the number of open connections, Accepted that of all connections so far.
func (s *Server) Open() int64     { return s.open.Load() }
func (s *Server) Accepted() int64 { return s.accepted.Load() }

// Serve starts a server. It requests a client certificate, but does not verify it.
func Serve(t testing.TB, cert tls.Certificate, h http.Handler) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Address: listener.Addr().String()}
	ctx, stop := context.WithCancel(context.Background())
	server := &http.Server{
		Handler:     h,
		TLSConfig:   &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12},
		ErrorLog:    log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				s.open.Add(1)
				s.accepted.Add(1)
			case http.StateClosed, http.StateHijacked:
				s.open.Add(-1)
			}
		},
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.ServeTLS(listener, "", "")
	}()
	t.Cleanup(func() {
		stop()
		_ = server.Close()
		<-ended
	})
	return s
}

// Nobody returns an address on which nothing listens.
func Nobody(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
