package backends

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/dispatch"
)

// A real backend calls a webhook. It finds out how with the first call.
type real struct {
	connect  connect
	path     string // empty: the path in the configuration
	insecure bool
	trusts   bool // trusts what the backend says, instead of the configuration

	once    sync.Once
	client  *dispatch.Client
	door    Door     // for access to the cluster; nil: none
	program *program // nil: not started by admsim
	err     error
	asked   atomic.Bool
}

// A connect says how to reach a webhook, together with the permission to do so. It is called with the first call.
type connect func(first dispatch.Call) (consent.Network, dispatch.ClientOptions, error)

func (r *real) Call(ctx context.Context, c dispatch.Call) dispatch.Reply {
	r.asked.Store(true)
	r.once.Do(func() {
		var allowed consent.Network
		var o dispatch.ClientOptions
		if allowed, o, r.err = r.connect(c); r.err == nil {
			r.client = dispatch.NewClient(allowed, o)
		}
	})
	err := r.err
	if err == nil {
		err = r.program.settle(ctx, c)
	}
	if err != nil {
		return dispatch.Reply{Err: &dispatch.NoAnswerError{Configuration: c.Configuration, Webhook: c.Webhook, Reason: reasonOf(err), Err: err}}
	}
	if u, err := url.Parse(c.URL); err == nil && r.path != "" {
		u.Path = r.path
		c.URL = u.String()
	}
	said := r.program.listen()
	var reply dispatch.Reply
	if r.door != nil {
		reply = r.door.Call(ctx, c, func(ctx context.Context) dispatch.Reply { return r.client.Call(ctx, c) })
	} else {
		reply = r.client.Call(ctx, c)
	}
	if reply.Err != nil || reply.Status != 0 && reply.Status != http.StatusOK {
		reply.Output = said(ctx)
	}
	return reply
}

// reasonOf returns the message of err, without its place and hint.
func reasonOf(err error) string {
	if placed := (*scenario.Error)(nil); errors.As(err, &placed) {
		return placed.Message
	}
	return err.Error()
}

// TrustsItself reports whether the caBundle of the configuration is ignored.
func (r *real) TrustsItself() bool { return r.trusts || r.insecure }

func (r *real) used() bool { return r.asked.Load() }

func (r *real) close() {
	r.once.Do(func() { r.err = context.Canceled }) // never called, so there is nothing to close
	if r.client != nil {
		r.client.Close()
	}
}

// clientOptions returns the options that all clients share.
func (o Options) clientOptions(insecure bool) dispatch.ClientOptions {
	c := dispatch.ClientOptions{Insecure: insecure, Credentials: o.Credentials, Now: o.Now, NoTimeouts: o.NoTimeouts}
	if o.Proxy {
		c.Proxy = dispatch.ProxyFromEnvironment()
	}
	return c
}

// remote returns a backend for a running webhook at a URL that its author gave.
func remote(d scenario.Backend, o Options) *real {
	u, err := url.Parse(d.URL)
	if err != nil {
		panic(fmt.Sprintf("a URL that was checked: %v", err))
	}
	address := u.Host
	if u.Port() == "" {
		address = strings.TrimSuffix(u.Host, ":") + ":" + map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return &real{
		insecure: d.Insecure,
		path:     strings.TrimSuffix(u.Path, "/"),
		connect: func(dispatch.Call) (consent.Network, dispatch.ClientOptions, error) {
			c := o.clientOptions(d.Insecure)
			c.Address, c.Plain = address, u.Scheme == "http"
			allowed, err := o.Consent.Network(connectionAct(d.Source, d.Webhook, d.URL))
			return allowed, c, refusedAt(d.Source, err, "")
		},
	}
}

// live connects to a webhook at the address in its configuration, as a backend says.
func live(services map[string]string, d scenario.Backend, o Options) connect {
	return func(first dispatch.Call) (consent.Network, dispatch.ClientOptions, error) {
		act := connectionAct(d.Source, d.Webhook, "")
		act.First, _, _ = strings.Cut(first.URL, "?")
		allowed, err := o.Consent.Network(act)
		return allowed, o.inCluster(services, d.Insecure), refusedAt(d.Source, err, "")
	}
}

// service connects to a service whose address a file gives, for webhooks without a backend.
func (o Options) service(name string, s scenario.Service) connect {
	return func(dispatch.Call) (consent.Network, dispatch.ClientOptions, error) {
		allowed, err := o.Consent.Network(connectionAct(s.Source, name, s.Address))
		return allowed, o.inCluster(map[string]string{name: s.Address}, false), refusedAt(s.Source, err, "")
	}
}

// byFlag connects to webhooks whose address the caller gave with a flag.
func (o Options) byFlag(services map[string]string) connect {
	return func(dispatch.Call) (consent.Network, dispatch.ClientOptions, error) {
		return o.Consent.OfFlag(), o.inCluster(services, false), nil
	}
}

func (o Options) inCluster(services map[string]string, insecure bool) dispatch.ClientOptions {
	c := o.clientOptions(insecure)
	c.Services, c.EndpointRouting = services, o.EndpointRouting
	if o.State != nil {
		c.State = o.State()
	}
	return c
}

// others answers for webhooks without a backend. Webhooks whose service has a known address are called there.
type others struct {
	live      *real
	all       bool
	services  map[string]*real
	unmatched dispatch.Backend
}

// or returns the backend of a webhook that has no other.
func (r others) or(none dispatch.Backend) dispatch.Backend {
	switch {
	case r.all:
		return r.live
	case r.unmatched != nil:
		none = r.unmatched
	}
	if len(r.services) == 0 {
		return none
	}
	return placed{r, none}
}

func (r others) close() {
	if r.live != nil { // nil if they were not completely created
		r.live.close()
	}
	for _, s := range r.services {
		s.close()
	}
}

// placed calls a webhook whose service is among those given, and passes other calls on.
type placed struct {
	others
	none dispatch.Backend
}

func (p placed) Call(ctx context.Context, c dispatch.Call) dispatch.Reply {
	if s := c.Client.Service; s != nil {
		if one, ok := p.services[fmt.Sprintf("%s/%s:%d", s.Namespace, s.Name, dispatch.PortOf(*s))]; ok {
			return one.Call(ctx, c)
		}
	}
	return p.none.Call(ctx, c)
}
