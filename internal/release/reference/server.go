package reference

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The tokens of users who may do everything. Requests of Admin are in the audit log, those of Setup are not.
const (
	Admin = "admin"
	Setup = "setup"
)

// A Server is a running kube-apiserver.
type Server struct {
	Audit *AuditLog
	Flags []string // its command line

	url     string
	client  *http.Client
	process *process
	token   string // for all requests; empty: that of the request
}

// Options configure how a server is started.
type Options struct {
	Binary string
	Folder string // its working directory
	Etcd   *Etcd
	Flags  []string // in addition to those that every server has
}

// Start starts a server, and returns when it is ready.
func Start(ctx context.Context, o Options) (*Server, error) {
	minor, err := minorOf(ctx, o.Binary)
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	key, err := signingKey()
	if err != nil {
		return nil, err
	}
	if err := writeFiles(o.Folder, map[string][]byte{
		"tokens.csv":           fmt.Appendf(nil, "%[1]s,%[1]s,%[1]s,system:masters\n%[2]s,%[2]s,%[2]s,system:masters\n", Admin, Setup),
		"audit-policy.yaml":    []byte(auditPolicy),
		"service-accounts.key": key,
	}); err != nil {
		return nil, err
	}
	s := &Server{url: "https://" + address, client: newClient(), Audit: &AuditLog{file: filepath.Join(o.Folder, "audit.log")}}
	_, port, _ := strings.Cut(address, ":")
	flags := []string{
		"--etcd-servers=" + o.Etcd.url,
		"--bind-address=127.0.0.1", "--advertise-address=192.0.2.1", "--secure-port=" + port, "--cert-dir=certificates",
		"--token-auth-file=tokens.csv",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--api-audiences=api",
		"--service-account-key-file=service-accounts.key", "--service-account-signing-key-file=service-accounts.key",
		"--service-cluster-ip-range=10.0.0.0/24", "--allow-privileged",
		"--audit-policy-file=audit-policy.yaml", "--audit-log-path=" + s.Audit.file, "--audit-log-mode=blocking",
	}
	flags = append(flags, flagsOf(minor)...)
	if !slices.ContainsFunc(o.Flags, func(flag string) bool { return strings.HasPrefix(flag, "--authorization-") }) {
		flags = append(flags, "--authorization-mode=Node,RBAC")
	}
	s.Flags = append(flags, o.Flags...)
	s.process, err = start(ctx, o.Folder, "kube-apiserver", exec.Command(o.Binary, s.Flags...))
	if err != nil {
		return nil, err
	}
	if err := s.process.until(ctx, 3*time.Minute, func() bool {
		answer, err := s.Do(ctx, Request{Method: http.MethodGet, Path: readyPath(minor), Token: Setup})
		return err == nil && answer.Code == http.StatusOK
	}); err != nil {
		return s, err
	}
	return s, s.createDefaultNamespace(ctx)
}

// createDefaultNamespace creates the namespace default, which the server itself creates in the background, sometimes
// minutes after it is ready. A server that admits nothing refuses this.
func (s *Server) createDefaultNamespace(ctx context.Context) error {
	_, err := s.Do(ctx, Request{
		Method: http.MethodPost, Path: "/api/v1/namespaces", Token: Setup,
		Body: []byte(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}`),
	})
	return err
}

// newClient returns a client that speaks HTTP/1.1, as nearly every script does: the answers to CONNECT depend on it.
// newClient returns a client that waits longer than a server, which gives up after a minute. A request that is never
// answered must not stop a harvest.
func newClient() *http.Client {
	return &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // its certificate is its own, and we started it
		TLSNextProto:      map[string]func(string, *tls.Conn) http.RoundTripper{},
		DisableKeepAlives: false,
	}}
}

// URL returns where clients reach the server, PID its process ID.
func (s *Server) URL() string { return s.url }
func (s *Server) PID() int    { return s.process.cmd.Process.Pid }

// Stop ends the server.
func (s *Server) Stop() { s.process.stop() }

// A Request is a request to the server.
type Request struct {
	Method, Path, Query string
	Body                []byte
	Header              http.Header
	Token               string // Admin or Setup
}

// An Answer is the server's answer.
type Answer struct {
	Code   int
	Header http.Header
	Body   []byte
}

// A NoAnswerError reports that the server did not answer a request, or is gone.
type NoAnswerError struct{ Err error }

func (e *NoAnswerError) Error() string { return "the server does not answer: " + e.Err.Error() }
func (e *NoAnswerError) Unwrap() error { return e.Err }

// Do sends a request. The error is a [NoAnswerError] if there is no whole answer.
func (s *Server) Do(ctx context.Context, r Request) (Answer, error) {
	url := s.url + r.Path
	if r.Query != "" {
		url += "?" + r.Query
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, url, bytes.NewReader(r.Body))
	if err != nil {
		return Answer{}, err
	}
	if len(r.Body) == 0 {
		req.Body, req.ContentLength = nil, 0
	}
	for name, values := range r.Header {
		req.Header[name] = values
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "admsim") // it owns the fields if the request has no fieldManager, as in admsim
	}
	req.Header.Set("Authorization", "Bearer "+cmp.Or(s.token, r.Token))
	resp, err := s.client.Do(req)
	if err != nil {
		return Answer{}, &NoAnswerError{err}
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return Answer{}, &NoAnswerError{err}
	}
	return Answer{resp.StatusCode, resp.Header, body}, nil
}

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: RequestResponse
  users: ["` + Admin + `"]
- level: None
`

func signingKey() ([]byte, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}), nil
}
