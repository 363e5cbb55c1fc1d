// Package door makes an API server of admsim available over HTTPS. [Open] opens a port, and writes a kubeconfig for
// clients. [Serve] serves an open listener.
package door

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/certificate"
)

// How long clients may take, so that those that send nothing do not block anything. An answer may take as long as a
// watch lasts.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 3 * time.Minute
	drain         = 2 * time.Second       // at the end
	flush         = 50 * time.Millisecond // for an answer that is being sent: HTTP/2 calls the connection idle before it is
)

// mostConnections is the maximum number of concurrent connections. Further clients wait until one is closed.
const mostConnections = 5000

// A Handler answers requests. Close ends those that would last for long.
type Handler interface {
	http.Handler
	Close()
}

// Serve answers clients over HTTPS until ctx is done. Client certificates are accepted if an authority in the bundle
// clients signed them; without a bundle, none are.
func Serve(ctx context.Context, l net.Listener, h Handler, pair certificate.Pair, clients []byte) error {
	config, err := pair.ServerOf(clients)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	server := newServer(h)
	server.TLSConfig = config
	return run(ctx, h, server, func() error { return server.ServeTLS(l, "", "") })
}

// ServePlain answers clients over HTTP until ctx is done.
func ServePlain(ctx context.Context, l net.Listener, h Handler) error {
	server := newServer(h)
	return run(ctx, h, server, func() error { return server.Serve(l) })
}

func newServer(h Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout,
		ErrorLog: log.New(io.Discard, "", 0), // mostly about clients that went away
	}
}

// run runs a server until ctx is done.
func run(ctx context.Context, h Handler, server *http.Server, serve func() error) error {
	busy := newConnections()
	server.ConnState = busy.note
	ended := make(chan error, 1)
	go func() { ended <- serve() }()
	select {
	case err := <-ended:
		h.Close()
		return errors.Join(err, server.Close())
	case <-ctx.Done():
	}
	h.Close()
	last, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	go func() {
		busy.wait(last)
		time.Sleep(flush)
		cancel() // Shutdown by itself gives idle clients a second
	}()
	if server.Shutdown(last) != nil {
		_ = server.Close() // cuts off what is still being answered
	}
	<-ended
	return nil
}

// connections tracks the connections with a request in progress.
type connections struct {
	mutex  sync.Mutex
	active map[net.Conn]bool
	idle   chan struct{} // closed while there is none
}

func newConnections() *connections {
	c := &connections{active: map[net.Conn]bool{}, idle: make(chan struct{})}
	close(c.idle)
	return c
}

// note records the state of a connection.
func (c *connections) note(connection net.Conn, state http.ConnState) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	before := len(c.active)
	if state == http.StateActive {
		c.active[connection] = true
	} else {
		delete(c.active, connection)
	}
	switch now := len(c.active); {
	case before == 0 && now > 0:
		c.idle = make(chan struct{})
	case before > 0 && now == 0:
		close(c.idle)
	}
}

// wait waits until no request is in progress.
func (c *connections) wait(ctx context.Context) {
	c.mutex.Lock()
	idle := c.idle
	c.mutex.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// A kubeconfig holds where clients find the server, and their credentials.
type kubeconfig struct {
	Server string // URL
	CA     []byte
	Client certificate.Pair // empty if there is a token
	Token  string
}

// clientName is the name of the cluster, the user and the context in a kubeconfig.
const clientName = "admsim"

// yaml encodes the kubeconfig.
func (k kubeconfig) yaml() ([]byte, error) {
	user := map[string]any{}
	if k.Token != "" {
		user["token"] = k.Token
	} else {
		user["client-certificate-data"] = base64.StdEncoding.EncodeToString(k.Client.Certificate)
		user["client-key-data"] = base64.StdEncoding.EncodeToString(k.Client.Key)
	}
	const name = clientName
	return yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "preferences": map[string]any{},
		"clusters": []any{map[string]any{"name": name, "cluster": map[string]any{
			"server": k.Server, "certificate-authority-data": base64.StdEncoding.EncodeToString(k.CA)}}},
		"users":           []any{map[string]any{"name": name, "user": user}},
		"contexts":        []any{map[string]any{"name": name, "context": map[string]any{"cluster": name, "user": name}}},
		"current-context": name,
	})
}

// wrote reports whether a file was written by yaml, or is empty.
func wrote(file []byte) bool {
	var config struct {
		Contexts []struct{ Name string }
		Current  string `json:"current-context"`
	}
	if len(file) == 0 {
		return true
	}
	err := yaml.Unmarshal(file, &config)
	return err == nil && config.Current == clientName && len(config.Contexts) == 1 && config.Contexts[0].Name == clientName
}

// reached returns the URL at which clients on this machine reach a listening address.
func reached(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	return "https://" + net.JoinHostPort(strings.Trim(host, "[]"), port)
}
