// Package etcd is the program etcd in a folder for envtest, and its client for the kube-apiserver there. It is not a
// database: it keeps what one kube-apiserver wrote, for the next start.
//
// [Parse] and [Server.Run] are the program; [Open], [Storage.Restore] and [Storage.Follow] are the client.
package etcd

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/admsim/admsim/internal/door"
	"github.com/admsim/admsim/internal/envtest/flags"
	"github.com/admsim/admsim/internal/wholefile"
	"github.com/admsim/admsim/pkg/cluster"
)

// Version is the version of etcd that the program claims to be.
const Version = "3.6.0"

// A Server is an etcd as configured by its flags.
type Server struct {
	address string // host:port
	folder  string

	mutex    sync.Mutex
	revision int64
	kept     map[cluster.Key]record
}

// flagTable defines what is done with each flag.
//
//go:embed flags.txt
var flagTable string

func newFlags() *flags.Given { return flags.New("etcd", flags.Table(flagTable)) }

// Help returns the output of --help.
func Help() string {
	return "etcd of admsim: keeps the data of one kube-apiserver of admsim, and is no database.\n\nFlags:\n" + newFlags().Usage()
}

// Parse parses the command line of etcd. The error is [pflag.ErrHelp] if help was requested.
func Parse(args []string) (*Server, error) {
	given := newFlags()
	if err := given.Parse(args); err != nil {
		return nil, err
	}
	listen := append(given.List("listen-client-urls"), "http://localhost:2379")[0]
	u, err := url.Parse(listen)
	if err != nil || u.Scheme != "http" || u.Port() == "" {
		return nil, fmt.Errorf("--listen-client-urls: %q: want http://HOST:PORT", listen)
	}
	return &Server{address: u.Host, folder: given.One("data-dir", "default.etcd"), kept: map[cluster.Key]record{}}, nil
}

// keptFile holds the data while etcd does not run.
const keptFile = "admsim.jsonl"

// Run keeps what it receives until ctx is done.
func (s *Server) Run(ctx context.Context, say func(format string, args ...any)) error {
	if err := s.load(); err != nil {
		return err
	}
	listener, err := door.Listen(s.address)
	if err != nil {
		return fmt.Errorf("--listen-client-urls: %w", err)
	}
	say("etcd of admsim listens on http://%s", listener.Addr())
	return errors.Join(door.ServePlain(ctx, listener, s), s.save())
}

func (s *Server) load() error {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(s.folder, keptFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := s.add(f); err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return nil
}

func (s *Server) save() error {
	var text strings.Builder
	if err := s.writeTo(&text); err != nil || s.revision == 0 {
		return err
	}
	err := wholefile.Write(filepath.Join(s.folder, keptFile), []byte(text.String()), 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the folder is already deleted: nobody needs the data
	}
	return err
}

// add stores what a kube-apiserver wrote.
func (s *Server) add(from io.Reader) error {
	revision, records, err := readRecords(from)
	if err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.revision = revision
	for _, r := range records {
		s.kept[r.Key] = r
	}
	return nil
}

func (s *Server) writeTo(w io.Writer) error {
	s.mutex.Lock()
	revision, kept := s.revision, maps.Clone(s.kept)
	s.mutex.Unlock()
	to := json.NewEncoder(w)
	if err := to.Encode(revisionLine{revision}); err != nil {
		return err
	}
	for _, r := range kept {
		if err := to.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// ServeHTTP answers health checks and kube-apiserver.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/health" || r.URL.Path == "/readyz" || r.URL.Path == "/livez":
		_, _ = io.WriteString(w, `{"health":"true","reason":""}`) // the client may have gone away
	case r.URL.Path == "/version":
		_, _ = io.WriteString(w, `{"etcdserver":"`+Version+`","etcdcluster":"`+Version+`"}`)
	case r.URL.Path == keptPath && r.Method == http.MethodGet:
		_ = s.writeTo(w)
	case r.URL.Path == keptPath && r.Method == http.MethodPost:
		if err := s.add(r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	default:
		http.Error(w, "this etcd is admsim's: it only keeps the data of admsim's kube-apiserver", http.StatusNotFound)
	}
}

// Close does nothing.
func (s *Server) Close() {}
