// Package backends answers for webhooks as a scenario says: with mocks, programs that it starts, servers at an address,
// and the addresses in webhook configurations. It remembers which backends were called, and defines the precedence
// among declarations for a webhook ([Precedence]).
//
// Start with [New]. Nothing is started and no connection is opened without the caller's consent. The package knows
// neither worlds nor the answers of simulators.
package backends

import (
	"context"
	"time"

	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// Options say how webhooks are reached. All may be left out.
type Options struct {
	Expressions *expression.Compiler // for conditions of mocks; nil: a compiler for Release
	Release     *kubeversion.Release

	// Objects are the objects of the cluster, which tell programs for which services they answer. State is the cluster
	// for webhooks at the address in their configuration; nil: an empty cluster.
	Objects []scenario.Manifest
	State   func() *cluster.State

	// Consent is what the caller permits: without it, no program starts and no connection is opened. Nil: nothing.
	Consent *consent.Policy

	// Services are addresses by namespace/name:port, and take precedence over declared ones. The caller names them, and
	// so permits connections to them.
	Services    map[string]string
	Credentials map[trace.Phase]*dispatch.Credentials
	Proxy       bool // use the proxy of the environment

	// EndpointRouting calls services at an endpoint and not at their cluster IP.
	EndpointRouting bool

	// Live calls webhooks without a backend at the address in their configuration. It is the caller's permission to do
	// so.
	Live bool

	// NoTimeouts waits for answers as long as they take.
	NoTimeouts bool

	// Log is a file that the output of programs is appended to. Empty: none.
	Log string

	// Unmatched answers for webhooks without any other backend. Nil: such webhooks are an error.
	Unmatched dispatch.Backend

	// Door makes the door through which a program accesses the cluster that calls it. It is called when a program
	// starts. Nil, or a nil door: programs have no access.
	Door func() Door

	// Now is the clock that real calls are timed with. Nil: they take no time.
	Now func() time.Time
}

// A Door lets a program access the cluster that calls it.
type Door interface {
	// Open returns where the door is, for a program whose first call is given: the URL of the API server, and a folder
	// with the kubeconfig and whatever else the program needs for access. reads says that the program is known to use
	// them.
	Open(first dispatch.Call, reads bool) (server, folder string, err error)

	// Await waits, before the first call, until all objects of these resources have a condition that the program
	// writes. Calls about the program's own writes until then do not wait. The error says what is missing.
	Await(ctx context.Context, c dispatch.Call, conditions map[string]string, limit time.Duration) error

	// Call makes a call to the program. During the call, the program sees the cluster as the call does.
	Call(ctx context.Context, c dispatch.Call, call func(context.Context) dispatch.Reply) dispatch.Reply

	Close()
}

// Backends answer for webhooks as declared, and remember which backends were called. Close them when no request runs
// any more.
type Backends struct {
	routes   *dispatch.Backends
	declared []scenario.Backend
	ready    []backend // parallel to declared
	programs []*program
	others   others
}

// A backend is a backend that knows whether it was used.
type backend interface {
	dispatch.Backend
	used() bool
	close()
}

// New creates the backends. The first backend whose name matches answers for a webhook. The error is a
// [scenario.Errors]: the answers of mocks are checked here, and their conditions are compiled. Programs start with the
// first call and run until Close, or until ctx is done.
func New(ctx context.Context, declared scenario.Backends, o Options) (*Backends, error) {
	if o.Expressions == nil && o.Release != nil {
		o.Expressions = expression.New(o.Release)
	}
	b := &Backends{declared: declared.List}
	services := map[string]string{}
	b.others = others{all: o.Live, services: map[string]*real{}, unmatched: o.Unmatched}
	for key, s := range declared.Services {
		services[key] = s.Address
		b.others.services[key] = &real{connect: o.service(key, s)}
	}
	for key, address := range o.Services {
		services[key] = address
		b.others.services[key] = &real{connect: o.byFlag(map[string]string{key: address})}
	}
	b.others.live = &real{connect: o.byFlag(services)}
	var errs scenario.Errors
	routes := make([]dispatch.Route, len(declared.List))
	for i, d := range declared.List {
		var ready backend
		switch {
		case d.Command != nil:
			ready = b.program(ctx, d, o)
		case d.URL != "":
			ready = remote(d, o)
		case d.Live:
			ready = &real{connect: live(services, d, o), insecure: d.Insecure}
		default:
			ready = newMock(d, o.Expressions, &errs)
		}
		b.ready = append(b.ready, ready)
		routes[i] = dispatch.Route{Webhook: d.Webhook, Backend: ready, At: d.Source.String()}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	Declare(o.Consent, declared)
	var err error
	b.routes, err = dispatch.NewBackends(routes...)
	return b, err
}

// Check returns the errors in the answers of mocks, as [New] does.
func Check(declared scenario.Backends, c *expression.Compiler) error {
	var errs scenario.Errors
	for _, d := range declared.List {
		newMock(d, c, &errs)
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// Backend returns the backend of a webhook.
func (b *Backends) Backend(configuration, webhook string) dispatch.Backend {
	declared := b.routes.Backend(configuration, webhook)
	if b.routes.Declares(configuration, webhook) {
		return declared
	}
	return b.others.or(declared)
}

// Declares reports whether a backend is declared for a webhook.
func (b *Backends) Declares(configuration, webhook string) bool {
	return b.routes.Declares(configuration, webhook)
}

// Declared returns the backends as they were declared.
func (b *Backends) Declared() []scenario.Backend { return b.declared }

// Close stops the programs and closes all connections.
func (b *Backends) Close() {
	for _, one := range b.ready {
		one.close()
	}
	b.others.close()
	for _, p := range b.programs {
		p.stop()
	}
}

// Failures returns the errors of programs, with the end of their output.
func (b *Backends) Failures() (all []error) {
	for _, p := range b.programs {
		if err := p.failure(); err != nil {
			all = append(all, err)
		}
	}
	return all
}
