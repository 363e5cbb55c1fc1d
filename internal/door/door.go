// Package door lets clients reach an API server of admsim over HTTPS: [Open] opens a port, and writes the
// kubeconfig with which they get in; [Serve] answers at one that is open already.
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

// How long clients may take, so that those that send nothing hold nothing up. An answer may take as
// long as a watch lasts.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 3 * time.Minute
	drain         = 2 * time.Second       // at the end
	flush         = 50 * time.Millisecond // for an answer that is on its way: HTTP/2 calls the connection idle before
)

// mostConnections is how many there may be at the same time. Further clients wait until one is closed.
const mostConnections = 5000

// Listen opens a port, host:port. Port 0 is any that is free.
func Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return newLimited(l, mostConnections), nil
}

// A Handler answers requests. Close ends those that would go on for long.
type Handler interface {
	http.Handler
	Close()
}

// Serve answers clients until ctx is done, over HTTPS. Clients with a certificate that an authority of
// the bundle signed are accepted; without a bundle, none are.
func Serve(ctx context.Context, l net.Listener, h Handler, pair certificate.Pair, clients []byte) error {
	config, err := pair.ServerOf(clients)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	server := newServer(h)
	server.TLSConfig = config
	return run(ctx, h, server, func() error { return server.ServeTLS(l, "", "") })
}

// ServePlain answers clients until ctx is done, over HTTP.
func ServePlain(ctx context.Context, l net.Listener, h Handler) error {
	server := newServer(h)
	return run(ctx, h, server, func() error { return server.Serve(l) })
}

func newServer(h Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout,
		ErrorLog: log.New(io.Discard, "", 0), // clients that go away, as a rule
	}
}

// run has a server serve until ctx is done.
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
		cancel() // Shutdown itself gives idle clients a second to go away
	}()
	if server.Shutdown(last) != nil {
		_ = server.Close() // what is still being answered is cut off
	}
	<-ended
	return nil
}

// connections are those over which something is being answered.
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

// wait waits until nothing is being answered.
func (c *connections) wait(ctx context.Context) {
	c.mutex.Lock()
	idle := c.idle
	c.mutex.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// A kubeconfig is how clients find the server, and who they are.
type kubeconfig struct {
	Server string // URL
	CA     []byte
	Client certificate.Pair // none where there is a token
	Token  string
}

// clientName is what the cluster, the user and the context of a kubeconfig are called.
const clientName = "admsim"

// yaml is the file.
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

// wrote reports whether a file is what yaml returned earlier, or empty.
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

// reached is the URL at which clients on this machine reach an address that is listened to.
func reached(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	return "https://" + net.JoinHostPort(strings.Trim(host, "[]"), port)
}
