package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/admsim/admsim/internal/certificate"
)

// The work that is also measured with a server that does nothing.
const (
	oneClient   = "ConfigMaps created by 1 client"
	manyClients = "ConfigMaps created by 16 clients"
)

// A bench does each piece of work against both servers.
type bench struct {
	last     time.Duration
	objects  int
	round    int
	webhook  *webhook
	progress io.Writer
}

func (b *bench) all(ctx context.Context, ours, theirs *server, table *results) error {
	for _, s := range []*server{ours, theirs} {
		if err := b.prepare(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	for _, w := range []struct {
		name, unit string
		do         func(context.Context, *server) (float64, error)
	}{
		{"list of all, JSON", "s", b.listing("application/json")},
		{"list of all, protobuf", "s", b.listing("application/vnd.kubernetes.protobuf")},
		{"watch until all are there", "s", b.watching},
		// Before objects are created, since the servers create different numbers of them.
		{"memory with as many objects in both", "B", func(_ context.Context, s *server) (float64, error) { return s.memory() }},
		{oneClient, "/s", b.creating("plain", "configmaps", 1)},
		{manyClients, "/s", b.creating("plain", "configmaps", 16)},
		{"Pods created by 1 client", "/s", b.creating("plain", "pods", 1)},
		{"Pods created by 16 clients", "/s", b.creating("plain", "pods", 16)},
		{"Pods created by 1 client, 10 mutating and 10 validating webhooks over TLS", "/s", b.creating("hooked", "pods", 1)},
		{"Pods created by 16 clients, 10 mutating and 10 validating webhooks over TLS", "/s", b.creating("hooked", "pods", 16)},
	} {
		var figures, work [2]float64
		for i, s := range []*server{ours, theirs} {
			if strings.HasPrefix(w.name, "list") {
				if err := b.fill(ctx, s); err != nil {
					return fmt.Errorf("%s: filling: %w", s.name, err)
				}
			}
			before, err := s.processor()
			if err != nil {
				return err
			}
			began := time.Now()
			if figures[i], err = w.do(ctx, s); err != nil {
				return fmt.Errorf("%s: %s: %w", s.name, w.name, err)
			}
			took := time.Since(began).Seconds()
			after, err := s.processor()
			if err != nil {
				return err
			}
			work[i] = figures[i] * took / (after - before)
		}
		table.add(w.name, w.unit, figures[0], figures[1])
		if w.unit == "/s" {
			table.add(w.name+", by processor time of the server", w.unit, work[0], work[1])
		}
		fmt.Fprintf(b.progress, "round %d: %s: %s, %s\n", b.round+1, w.name, shown(figures[0], w.unit), shown(figures[1], w.unit))
	}
	return nil
}

// most measures a server that does nothing, next to the real server's results in the same round.
func (b *bench) most(ctx context.Context, table *results) (err error) {
	s, err := startNothing(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	for _, w := range []struct {
		name    string
		clients int
	}{{oneClient, 1}, {manyClients, 16}} {
		made, err := b.creating("plain", "configmaps", w.clients)(ctx, s)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(table.rows, func(r *row) bool { return r.work == w.name })
		table.most = added(table.most, w.name, "/s", made, table.rows[at].theirs[b.round])
	}
	return nil
}

// prepare creates namespaces, and webhooks for one of them.
func (b *bench) prepare(ctx context.Context, s *server) error {
	c := newClient(s)
	defer c.CloseIdleConnections()
	for _, namespace := range []string{"plain", "hooked", "full"} {
		if err := c.create(ctx, "/api/v1/namespaces", fmt.Appendf(nil, `{"metadata": {"name": %q, "labels": {"bench": %q}}}`, namespace, namespace)); err != nil {
			return err
		}
		if code, err := c.do(ctx, "POST", "/api/v1/namespaces/"+namespace+"/serviceaccounts", []byte(`{"metadata": {"name": "default"}}`), nil); err != nil || code != 201 && code != 409 {
			return fmt.Errorf("the account of a namespace: %d, %w", code, err)
		}
	}
	for _, kind := range []string{"Mutating", "Validating"} {
		var hooks []any
		for i := range 10 {
			hooks = append(hooks, map[string]any{
				"name": fmt.Sprintf("hook-%d.bench.example", i), "sideEffects": "None", "admissionReviewVersions": []string{"v1"},
				"clientConfig":      map[string]any{"url": b.webhook.url, "caBundle": base64.StdEncoding.EncodeToString(b.webhook.bundle)},
				"namespaceSelector": map[string]any{"matchLabels": map[string]string{"bench": "hooked"}},
				"rules":             []any{map[string]any{"operations": []string{"CREATE"}, "apiGroups": []string{""}, "apiVersions": []string{"v1"}, "resources": []string{"pods"}}},
			})
		}
		body, err := json.Marshal(map[string]any{"metadata": map[string]string{"name": "bench"}, "webhooks": hooks})
		if err != nil {
			return err
		}
		if err := c.create(ctx, "/apis/admissionregistration.k8s.io/v1/"+strings.ToLower(kind)+"webhookconfigurations", body); err != nil {
			return err
		}
	}
	for deadline := time.Now().Add(time.Minute); b.webhook.calls.Swap(0) < 20; { // until the server has noticed them
		if time.Now().After(deadline) {
			return fmt.Errorf("webhooks are not called")
		}
		if err := c.create(ctx, "/api/v1/namespaces/hooked/pods", body("pods", fmt.Sprint("first-", time.Now().UnixNano()))); err != nil {
			return err
		}
	}
	return nil
}

func body(resource, name string) []byte {
	if resource == "pods" {
		return fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": %q, "labels": {"app": "bench"}}, "spec": {"containers": [
			{"name": "main", "image": "registry.example/main:1", "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}, "ports": [{"containerPort": 8080}]}]}}`, name)
	}
	return fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": %q, "labels": {"app": "bench"}}, "data": {"a": "1", "b": %q}}`, name, strings.Repeat("x", 200))
}

// creating returns how many objects clients create per second.
func (b *bench) creating(namespace, resource string, clients int) func(context.Context, *server) (float64, error) {
	return func(ctx context.Context, s *server) (float64, error) {
		path := "/api/v1/namespaces/" + namespace + "/" + resource
		errs := make(chan error, clients)
		var made atomic.Int64
		began := time.Now()
		for n := range clients {
			go func() {
				c := newClient(s)
				defer c.CloseIdleConnections()
				for i := 0; time.Since(began) < b.last; i++ {
					if err := c.create(ctx, path, body(resource, fmt.Sprintf("o-%d-%d-%d", clients, n, i))); err != nil {
						errs <- err
						return
					}
					made.Add(1)
				}
				errs <- nil
			}()
		}
		var failed error
		for range clients {
			if err := <-errs; err != nil {
				failed = err
			}
		}
		return float64(made.Load()) / time.Since(began).Seconds(), failed
	}
}

// fill creates the objects to be listed and watched.
func (b *bench) fill(ctx context.Context, s *server) error {
	var next atomic.Int64
	var running sync.WaitGroup
	errs := make(chan error, 16)
	for range 16 {
		running.Go(func() {
			c := newClient(s)
			defer c.CloseIdleConnections()
			for i := next.Add(1); i <= int64(b.objects); i = next.Add(1) {
				code, err := c.do(ctx, "POST", "/api/v1/namespaces/full/configmaps", body("configmaps", fmt.Sprintf("o-%d", i)), nil)
				if err != nil || code != 201 && code != 409 {
					errs <- fmt.Errorf("%d, %w", code, err)
					return
				}
				if code == 409 { // it already exists
					return
				}
			}
		})
	}
	running.Wait()
	close(errs)
	return <-errs
}

// listing returns the time of a list of all objects, the best of three.
func (b *bench) listing(accept string) func(context.Context, *server) (float64, error) {
	return func(ctx context.Context, s *server) (best float64, err error) {
		c := newClient(s)
		defer c.CloseIdleConnections()
		for i := range 3 {
			began := time.Now()
			var size int64
			code, err := c.do(ctx, "GET", "/api/v1/namespaces/full/configmaps", nil, func(answer *http.Response) error {
				size, err = io.Copy(io.Discard, answer.Body)
				return err
			}, "Accept", accept)
			if err != nil || code != 200 || size < int64(b.objects)*200 {
				return 0, fmt.Errorf("%d, %d bytes, %w", code, size, err)
			}
			if took := time.Since(began).Seconds(); i == 0 || took < best {
				best = took
			}
		}
		return best, nil
	}
}

// watching returns the time until a watch has sent all objects.
func (b *bench) watching(ctx context.Context, s *server) (float64, error) {
	c := newClient(s)
	defer c.CloseIdleConnections()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	began := time.Now()
	events := 0
	_, err := c.do(ctx, "GET", "/api/v1/namespaces/full/configmaps?watch=1&resourceVersion=0", nil, func(answer *http.Response) error {
		stream := json.NewDecoder(answer.Body)
		for events < b.objects {
			var event struct {
				Type   string
				Object json.RawMessage
			}
			if err := stream.Decode(&event); err != nil {
				return err
			}
			if event.Type != "ADDED" {
				return fmt.Errorf("%s: %s", event.Type, event.Object)
			}
			events++
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("%d events, %w", events, err)
	}
	return time.Since(began).Seconds(), nil
}

// A client has a connection of its own, as another program would.
type client struct {
	*http.Client
	server *server
}

func newClient(s *server) *client {
	return &client{&http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // we started the server
		Protocols:       protocols(),
	}}, s}
}

// protocols returns the protocols of client-go.
func protocols() *http.Protocols {
	var p http.Protocols
	p.SetHTTP2(true)
	return &p
}

func (c *client) create(ctx context.Context, path string, body []byte) error {
	var text []byte
	code, err := c.do(ctx, "POST", path, body, func(answer *http.Response) (err error) {
		text, err = io.ReadAll(answer.Body)
		return err
	})
	if err == nil && code != http.StatusCreated {
		err = fmt.Errorf("%s: %d: %s", path, code, text)
	}
	return err
}

// do sends a request. read reads the answer; nil: it is discarded.
func (c *client) do(ctx context.Context, method, path string, body []byte, read func(*http.Response) error, header ...string) (code int, err error) {
	r, err := http.NewRequestWithContext(ctx, method, c.server.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+c.server.token)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := c.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	if read == nil {
		read = func(answer *http.Response) error { _, err := io.Copy(io.Discard, answer.Body); return err }
	}
	return answer.StatusCode, read(answer)
}

// A webhook allows everything, over TLS.
type webhook struct {
	url    string
	bundle []byte
	calls  atomic.Int64
	server *http.Server
}

func newWebhook() (*webhook, error) {
	now := time.Now()
	authority, err := certificate.NewAuthority(now)
	if err != nil {
		return nil, err
	}
	pair, err := authority.Issue(now, certificate.Local()...)
	if err != nil {
		return nil, err
	}
	config, err := pair.Server()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &webhook{url: "https://" + listener.Addr().String() + "/", bundle: authority.Bundle()}
	w.server = &http.Server{Handler: w, TLSConfig: config, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = w.server.ServeTLS(listener, "", "") }()
	return w, nil
}

func (w *webhook) close() { _ = w.server.Close() }

func (w *webhook) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.calls.Add(1)
	review, _ := io.ReadAll(r.Body)
	_, uid, _ := bytes.Cut(review, []byte(`"uid":"`)) // the first one is that of the request
	uid, _, _ = bytes.Cut(uid, []byte(`"`))
	rw.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(rw, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":%q,"allowed":true}}`, uid)
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}
