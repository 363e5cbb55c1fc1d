package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/release/command"
)

// startNothing starts a server that only handles the protocol: no Go server with TLS and HTTP/2 can answer more
// requests on this machine. It is this program in a process of its own.
func startNothing(ctx context.Context) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := command.Child(ctx, self, "-nothing", address)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{name: "a server that does nothing", url: "https://" + address, pids: []int{cmd.Process.Pid}}
	s.stop = func() error {
		err := cmd.Process.Kill()
		_ = cmd.Wait() // killed
		return err
	}
	return s, s.await(ctx)
}

// serveNothing answers each request with its own body, twice: a created object comes back with what the server added to
// it.
func serveNothing(address string) error {
	now := time.Now()
	authority, err := certificate.NewAuthority(now)
	if err != nil {
		return err
	}
	pair, err := authority.Issue(now, certificate.Local()...)
	if err != nil {
		return err
	}
	config, err := pair.Server()
	if err != nil {
		return err
	}
	s := &http.Server{Addr: address, TLSConfig: config, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusCreated)
		}
		_, _ = w.Write(append(body, body...))
	})}
	return s.ListenAndServeTLS("", "")
}
