// Package serving makes a simulated cluster available to clients for as long as needed: a store, its controllers, the
// API server on top of them, and a door.
//
// Start with [Start]. [Cluster.Transport] is for clients in the same process, [Cluster.Open] for all others.
package serving

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/controllers"
	"github.com/admsim/admsim/internal/door"
	"github.com/admsim/admsim/internal/forks"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/internal/tokens"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// Options configure a cluster. The zero value has all controllers.
type Options struct {
	Controllers []string      // names of those that run, as for --controllers; nil: all
	Forks       int           // maximum number; 0: a hundred
	Latency     time.Duration // added to each answer
	RealTime    bool          // an answer takes as long as its webhooks say that they take
	Faults      *serve.Faults // the configured faults; nil: none
	Token       string        // of an administrator; empty: only client certificates are accepted

	// Created is the creation timestamp of objects without one, such as those in manifests and those that the server
	// creates itself. Zero: they get none.
	Created time.Time

	// Tokens maps further tokens to their users. NoAnonymous rejects clients without credentials.
	Tokens      map[string]authenticationv1.UserInfo
	NoAnonymous bool

	// Issuer configures the tokens of service accounts. Its known tokens are set to those above.
	Issuer tokens.Options

	// Logs answers requests for /logs. Nil: the path does not exist.
	Logs http.HandlerFunc

	// Metrics answers requests for /metrics and /metrics/slis. Nil: these paths do not exist.
	Metrics http.HandlerFunc

	// Flags holds the flags of the server that were given, for its page about them.
	Flags map[string][]string

	// Words returns the text of one of admsim's own errors for clients. Nil: that of the error.
	Words func(error) string

	// Answered is called for each answer, and Warn with admsim's own errors, those of requests as a [Failure]. Both may
	// be nil.
	Answered func(*serve.Answered)
	Warn     func(error)

	// Staged is called at each stage of a request, for the server's audit log. May be nil.
	Staged func(serve.Stage, *serve.Answered)

	// Wrote is called for each answer to a request of a controller, as if a client had sent it. May be nil.
	Wrote func(*serve.Answered)
}

// A Cluster is a served cluster with its forks.
type Cluster struct {
	options Options
	store   *store.Store
	first   *serve.Handler // of the cluster itself
	forks   *forks.Forks
	issuer  *tokens.Issuer
	known   map[string]authenticationv1.UserInfo // the tokens of administrators
	static  atomic.Pointer[[]cluster.Object]     // of manifests that were read again; nil: those that it began with
}

// Start starts a cluster with the initial state of sim. The caller must close it.
func Start(sim *simulator.Simulator, o Options) (*Cluster, error) {
	c := &Cluster{options: o, known: map[string]authenticationv1.UserInfo{}}
	maps.Copy(c.known, o.Tokens)
	if o.Token != "" {
		c.known[o.Token] = admission.Administrator()
	}
	o.Issuer.Known = c.known
	issuer, err := tokens.New(o.Issuer)
	if err != nil {
		return nil, err
	}
	if !o.Created.IsZero() {
		if sim, err = store.Stored(sim, o.Created); err != nil {
			return nil, err
		}
	}
	c.issuer = issuer
	c.forks = forks.New(forks.Options{Make: c.serve, Most: o.Forks})
	first, err := c.forks.Begin(sim)
	if err != nil {
		return nil, err
	}
	c.store = first.Store
	return c, nil
}

// serve serves the cluster, or the fork of that name, with the initial state of sim.
func (c *Cluster) serve(fork string, sim *simulator.Simulator) (*forks.Cluster, error) {
	o := c.options
	warn := func(err error) {
		if o.Warn != nil {
			o.Warn(err)
		}
	}
	if static := c.static.Load(); static != nil { // a fork of an earlier state has the server of today
		var err error
		if sim, err = sim.WithStatic(*static); err != nil {
			return nil, err
		}
	}
	sim, err := sim.WithTokens(c.issuer.For(sim.Release()))
	if err != nil {
		return nil, err
	}
	s, err := store.New(sim, store.Options{})
	if err != nil {
		return nil, err
	}
	ctx, retire := context.WithCancel(context.Background())
	wrote := func(w controllers.Write) {
		if o.Wrote != nil {
			o.Wrote(serve.ToController(w.Request, w.Began, w.Found, w.Result, fork))
		}
	}
	working, err := controllers.Start(ctx, s, controllers.Options{Which: o.Controllers, Token: c.issuer.IssueSecret, Wrote: wrote, Failed: warn})
	if err != nil {
		retire()
		return nil, err
	}
	made := serve.New
	if c.first != nil {
		made = c.first.Beside
	}
	handler := made(s, serve.Options{
		Tokens: c.known, Latency: o.Latency, RealTime: o.RealTime, Faults: o.Faults,
		Settled: working.Settled, Answered: o.Answered, Staged: o.Staged, NoAnonymous: o.NoAnonymous, Forks: c.forks.Manage, Logs: o.Logs, Metrics: o.Metrics, Flags: c.flags(), Fork: fork, Page: c.issuer.Document,
		Words: o.Words, Failed: func(r *http.Request, err error) { warn(&Failure{r.Method + " " + r.URL.Path, err}) },
	})
	if c.first == nil {
		c.first = handler
	}
	end := func() {
		handler.Close()
		retire()
		working.Wait()
	}
	return &forks.Cluster{Store: s, Handler: handler, End: end}, nil
}

// flags returns the flags of the server that were given, and those about tokens.
func (c *Cluster) flags() map[string][]string {
	all := map[string][]string{"service-account-issuer": c.issuer.Issuers()}
	if !slices.Equal(c.issuer.Audiences(), c.issuer.Issuers()) { // the default
		all["api-audiences"] = c.issuer.Audiences()
	}
	maps.Copy(all, c.options.Flags)
	return all
}

// A Failure is a request for which admsim has no answer.
type Failure struct {
	Request string // its method and path
	Err     error
}

func (f *Failure) Error() string { return f.Request + ": " + f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// Store returns the store of the cluster.
func (c *Cluster) Store() *store.Store { return c.store }

// Close ends the watches and the controllers.
func (c *Cluster) Close() { c.forks.End() }

// Transport returns a transport for clients in this process that are user.
func (c *Cluster) Transport(user authenticationv1.UserInfo) http.RoundTripper {
	return transport{c.forks.As(user)}
}

// Handler returns the handler for clients that do not connect through Open.
func (c *Cluster) Handler() door.Handler { return c.forks }

// At configures an entrance. The zero value is any free port of this machine.
type At = door.At

// Open opens a port. Clients with its kubeconfig are administrators.
func (c *Cluster) Open(at At) (*door.Entrance, error) {
	at.Token = c.options.Token
	at.Client, at.Groups = admission.Administrator().Username, []string{"system:masters"}
	return door.Open(at, c.forks)
}

// NoControllers returns the words for Options.Controllers that disable all controllers.
func NoControllers() (words []string) {
	for _, name := range controllers.Names() {
		words = append(words, "-"+name)
	}
	return words
}
