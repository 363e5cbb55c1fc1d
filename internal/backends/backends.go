// Package backends answers for webhooks as a scenario says: by mocks, programs that it starts, servers at an address, and
// what a webhook configuration itself names. It remembers what was asked, and has the one precedence of what may be
// said of a webhook ([Precedence]).
//
// Start with [New]. Nothing is started and no connection opened without the caller's consent. The package knows no world
// and no simulator's answers.
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
	Expressions *expression.Compiler // for conditions of mocks; nil: one of the release
	Release     *kubeversion.Release

	// Objects are the cluster, which says to programs which services they are. State is
	// it for webhooks that are where their configuration says; nil: an empty one.
	Objects []scenario.Manifest
	State   func() *cluster.State

	// Consent is what the caller permits: no program starts and no connection is opened
	// without. Nil: nothing.
	Consent *consent.Policy

	// Services are addresses by namespace/name:port, before those declared. The caller names
	// them, and so permits to connect to them.
	Services    map[string]string
	Credentials map[trace.Phase]*dispatch.Credentials
	Proxy       bool // as the environment says

	// Live has webhooks that no backend is for called where their configuration says. It is
	// the caller's permission to do so.
	Live bool

	// NoTimeouts waits for answers as long as they take.
	NoTimeouts bool

	// Log is a file to which all is added that programs write. Empty: none.
	Log string

	// Unmatched answers for webhooks that are left. Nil: that is an error.
	Unmatched dispatch.Backend

	// Door makes the door through which a program gets into the cluster that asks it. It is asked for
	// when one is started. Nil, or a nil door: there is none.
	Door func() Door

	// Now is the clock that real calls are timed with. Nil: they take no time.
	Now func() time.Time
}

// A Door lets a program into the cluster that asks it.
type Door interface {
	// Open says where it is, for a program whose first call this is: the URL of the API server, and a
	// folder with the kubeconfig and what else the program needs to get in. reads tells that the
	// program is known to use them.
	Open(first dispatch.Call, reads bool) (server, folder string, err error)

	// Await waits, before the first call, until all objects of these resources have a condition, which the program
	// writes. Calls about what the program itself writes until then do not wait. The error says what is missing.
	Await(ctx context.Context, c dispatch.Call, conditions map[string]string, limit time.Duration) error

	// Call makes a call of the program, during which the program finds the cluster as the call does.
	Call(ctx context.Context, c dispatch.Call, call func(context.Context) dispatch.Reply) dispatch.Reply

	Close()
}

// Backends answer for webhooks as declared, and remember what was asked of them. Close them
// when no request runs any more.
type Backends struct {
	routes   *dispatch.Backends
	declared []scenario.Backend
	ready    []backend // beside declared
	programs []*program
	others   others
}

// A backend is one that can be asked whether it was used.
type backend interface {
	dispatch.Backend
	used() bool
	close()
}

// New makes backends ready. A webhook is answered by the first of them whose name
// matches. The error is a [scenario.Errors]: what mocks say is checked here, and their
// conditions are compiled. Programs start with the first call and run until Close, or until
// ctx is done.
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
			ready = elsewhere(d, o)
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

// Check returns what is wrong with what mocks say, as [New] does.
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

// Backend is who answers for a webhook.
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

// Declared are the backends as they were declared.
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

// Failures are what went wrong with programs, with the end of what they wrote.
func (b *Backends) Failures() (all []error) {
	for _, p := range b.programs {
		if err := p.failure(); err != nil {
			all = append(all, err)
		}
	}
	return all
}
