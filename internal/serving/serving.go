// Package serving lets clients into a simulated cluster for as long as it is needed: a store, its
// controllers, the API server over them, and a door.
//
// Start with [Start]. [Cluster.Transport] is for clients in the same process, [Cluster.Open] for all
// others.
package serving

import (
	"context"
	"maps"
	"net/http"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/controllers"
	"github.com/admsim/admsim/internal/door"
	"github.com/admsim/admsim/internal/forks"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/internal/tokens"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/simulator"
)

// Options are for a cluster. The zero value has all controllers.
type Options struct {
	Controllers []string      // that run, as for --controllers; nil: all
	Forks       int           // how many there may be; 0: a hundred
	Latency     time.Duration // of each answer
	RealTime    bool          // an answer takes as long as its webhooks say that they take
	Faults      *serve.Faults // what goes wrong on purpose; nil: nothing
	Token       string        // of an administrator; empty: only certificates get in

	// Created is when objects were made that do not say it, such as those of manifests, and those that the server makes for
	// itself. Zero: they do not say it.
	Created time.Time

	// Tokens are further ones, and whose they are. NoAnonymous turns clients without credentials away.
	Tokens      map[string]authenticationv1.UserInfo
	NoAnonymous bool

	// Issuer makes and knows the tokens of service accounts. Its known tokens are those above.
	Issuer tokens.Options

	// Logs answers requests for /logs. Nil: there is no such path.
	Logs http.HandlerFunc

	// Answered is called for each answer, and Warn with errors of admsim itself. Both may be nil.
	Answered func(*serve.Answered)
	Warn     func(error)

	// Wrote is called for each answer to a request of a controller, as if it had come from a client. May be nil.
	Wrote func(*serve.Answered)
}

// A Cluster is one that clients talk to, with its forks.
type Cluster struct {
	options Options
	store   *store.Store
	first   *serve.Handler // of the cluster itself
	forks   *forks.Forks
	issuer  *tokens.Issuer
	known   map[string]authenticationv1.UserInfo // the tokens of administrators
}

// Start makes a cluster that starts as sim has it. It is to be closed.
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
	if sim, err = sim.WithTokens(issuer); err != nil {
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
		Settled: working.Settled, Answered: o.Answered, NoAnonymous: o.NoAnonymous, Forks: c.forks.Manage, Logs: o.Logs, Fork: fork, Page: c.issuer.Document,
		Failed: func(r *http.Request, err error) { warn(&failure{r.Method, r.URL.Path, err}) },
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

// Handler answers clients who come in by another way than Open.
func (c *Cluster) Handler() door.Handler { return c.forks }

// At says where an entrance is. The zero value is any free port of this machine.
type At = door.At

// Open opens a port. Whoever has the kubeconfig is an administrator.
func (c *Cluster) Open(at At) (*door.Entrance, error) {
	at.Token = c.options.Token
	at.Client, at.Groups = admission.Administrator().Username, []string{"system:masters"}
	return door.Open(at, c.forks)
}

// NoControllers are the words with which none runs.
func NoControllers() (words []string) {
	for _, name := range controllers.Names() {
		words = append(words, "-"+name)
	}
	return words
}
