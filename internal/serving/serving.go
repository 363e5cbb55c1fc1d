// Package serving lets clients into a simulated cluster for as long as somebody needs it: a store, its
// controllers, the API server over them, and a door.
//
// Start with [Start]. [Cluster.Transport] is for clients in the same process, [Cluster.Open] for all
// others.
package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/controllers"
	"github.com/admsim/admsim/internal/door"
	"github.com/admsim/admsim/internal/fault"
	"github.com/admsim/admsim/internal/forks"
	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/internal/wholefile"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/simulator"
)

// Options are for a cluster. The zero value has all controllers.
type Options struct {
	Controllers []string      // that run, as for --controllers; nil: all
	Forks       int           // how many there may be; 0: a hundred
	Latency     time.Duration // of each answer
	RealTime    bool          // an answer takes as long as its webhooks say that they take
	Faults      *fault.Plan   // what goes wrong on purpose; nil: nothing
	Token       string        // of an administrator; empty: only certificates get in

	// Tokens are further ones, and whose they are. NoAnonymous turns clients without credentials away.
	Tokens      map[string]authenticationv1.UserInfo
	NoAnonymous bool

	// Logs answers requests for /logs. Nil: there is no such path.
	Logs http.HandlerFunc

	// Answered is called for each answer, and Warn with errors of admsim itself. Both may be nil.
	Answered func(*serve.Answered)
	Warn     func(error)
}

// A Cluster is one that clients talk to, with its forks.
type Cluster struct {
	options Options
	store   *store.Store
	forks   *forks.Forks
}

// Start makes a cluster that starts as sim has it. It is to be closed.
func Start(sim *simulator.Simulator, o Options) (*Cluster, error) {
	c := &Cluster{options: o}
	c.forks = forks.New(forks.Options{Make: c.serve, Most: o.Forks})
	first, err := c.forks.Begin(sim)
	if err != nil {
		return nil, err
	}
	c.store = first.Store
	return c, nil
}

// serve serves the cluster, or a fork of that name, which starts as sim has it.
func (c *Cluster) serve(fork string, sim *simulator.Simulator) (*forks.Cluster, error) {
	o := c.options
	warn := func(err error) {
		if o.Warn != nil {
			o.Warn(err)
		}
	}
	s, err := store.New(sim, store.Options{})
	if err != nil {
		return nil, err
	}
	ctx, retire := context.WithCancel(context.Background())
	working, err := controllers.Start(ctx, s, controllers.Options{Which: o.Controllers, Failed: warn})
	if err != nil {
		retire()
		return nil, err
	}
	tokens := map[string]authenticationv1.UserInfo{}
	maps.Copy(tokens, o.Tokens)
	if o.Token != "" {
		tokens[o.Token] = admission.Administrator()
	}
	handler := serve.New(s, serve.Options{
		Tokens: tokens, Latency: o.Latency, RealTime: o.RealTime, Faults: o.Faults,
		Settled: working.Settled, Answered: o.Answered, NoAnonymous: o.NoAnonymous, Forks: c.forks.Manage, Logs: o.Logs, Fork: fork,
		Failed: func(r *http.Request, err error) { warn(&failure{r.Method, r.URL.Path, err}) },
	})
	end := func() {
		handler.Close()
		retire()
		working.Wait()
	}
	return &forks.Cluster{Store: s, Handler: handler, End: end}, nil
}

// A failure is a request that admsim has no answer to.
type failure struct {
	Method, Path string
	Err          error
}

func (f *failure) Error() string { return f.Method + " " + f.Path + ": " + f.Err.Error() }
func (f *failure) Unwrap() error { return f.Err }

// Store is the cluster over time.
func (c *Cluster) Store() *store.Store { return c.store }

// Close ends what goes on: watches, and the controllers.
func (c *Cluster) Close() { c.forks.End() }

// Transport is for a client in this process, who is that user.
func (c *Cluster) Transport(user authenticationv1.UserInfo) http.RoundTripper {
	return transport{c.forks.As(user)}
}

// Serve lets clients in through a listener until ctx is done. The certificate of the server and the
// authorities of its clients are the caller's.
func (c *Cluster) Serve(ctx context.Context, l net.Listener, pair certificate.Pair, clients []byte) error {
	return door.Serve(ctx, l, c.forks, pair, clients)
}

// An Entrance is a port through which clients get in.
type Entrance struct {
	Server     string // URL
	Kubeconfig string // path of the file
	ca         []byte
	remove     func()
	stop       context.CancelFunc
	ended      chan error
}

// At says where an entrance is. The zero value is any free port of this machine.
type At struct {
	Address    string   // host:port
	Hosts      []string // further names of the server
	Kubeconfig string   // path of the file to write; empty: one of its own, which is gone at the end

	token string // with which clients get in
}

// Open opens a port. Whoever has the kubeconfig is an administrator.
func (c *Cluster) Open(at At) (*Entrance, error) {
	at.token = c.options.Token
	return open(at, c.forks)
}

// open opens a port to a handler. Without a token, whoever has the kubeconfig is an administrator.
func open(at At, handler door.Handler) (_ *Entrance, err error) {
	address := cmp.Or(at.Address, "127.0.0.1:0")
	now := time.Now()
	authority, err := certificate.NewAuthority(now)
	if err != nil {
		return nil, err
	}
	pair, err := authority.Issue(now, append(names(address), at.Hosts...)...)
	if err != nil {
		return nil, err
	}
	listener, err := door.Listen(address)
	if err != nil {
		return nil, err
	}
	config := door.Kubeconfig{Server: door.Reached(listener.Addr().String()), CA: authority.Bundle(), Token: at.token}
	if config.Token == "" {
		config.Client, err = authority.IssueClient(now, admission.Administrator().Username, "system:masters")
	}
	e := &Entrance{Server: config.Server, ca: config.CA, remove: func() {}, ended: make(chan error, 1)}
	if err == nil {
		err = e.write(config, at.Kubeconfig)
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	serving, stop := context.WithCancel(context.Background())
	e.stop = stop
	go func() { e.ended <- door.Serve(serving, listener, handler, pair, authority.Bundle()) }()
	return e, nil
}

// names are those under which clients may reach an address.
func names(address string) []string {
	all := append(certificate.Local(), certificate.ServiceNames("default", "kubernetes")...)
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && host != "" && (ip == nil || !ip.IsUnspecified()) {
		all = append(all, host)
	}
	return all
}

// write writes the kubeconfig, to a file of its own where none is named.
func (e *Entrance) write(config door.Kubeconfig, path string) error {
	text, err := config.YAML()
	if err != nil {
		return err
	}
	if path == "" {
		folder, err := os.MkdirTemp("", "admsim-serve-")
		if err != nil {
			return err
		}
		path, e.remove = filepath.Join(folder, "kubeconfig"), func() { _ = os.RemoveAll(folder) }
	}
	if e.Kubeconfig, err = filepath.Abs(path); err != nil {
		return err
	}
	if err := mayReplace(path); err != nil {
		return err
	}
	return wholefile.Write(e.Kubeconfig, text, 0o600)
}

// mayReplace fails for a path that a kubeconfig must not be written to: somebody else's file, or a
// folder that does not exist.
func mayReplace(path string) error {
	there, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return hint.Add(fmt.Errorf("%s: no such folder", filepath.Dir(path)), "make it first, or leave --kubeconfig out to use a temporary file")
		}
		return nil
	}
	if err != nil || door.Wrote(there) {
		return err
	}
	return hint.Add(fmt.Errorf("%s exists, and admsim did not write it", path), "name another file, or remove this one first")
}

// Ended returns why the entrance closed without a call of Close.
func (e *Entrance) Ended() <-chan error { return e.ended }

// Close closes the port.
func (e *Entrance) Close() error {
	e.stop()
	err := <-e.ended
	e.remove()
	return err
}

// NoControllers are the words with which none runs.
func NoControllers() (words []string) {
	for _, name := range controllers.Names() {
		words = append(words, "-"+name)
	}
	return words
}
