// Package variants makes the worlds of the cases of a suite, each once, and the backends of their webhooks: a case may
// change the world of its suite, and a combination of its matrix may change the release, the failure policy of
// webhooks, or make webhooks fail.
//
// Start with [New], then [Suite.Case]. The package sends no request.
package variants

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/cases"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// Options say how worlds are made. All may be left out.
type Options struct {
	Release       string // for suites that name none; empty: the default release
	IgnoreUnknown bool   // see [world.Options]

	Authorization scenario.Authorization // for suites that do not set it; see [world.Options]

	// Verbose makes traces contain the values of all variables of policies, and warns about fields in them that no kind
	// has.
	Verbose bool

	// Backends are the options for backends outside of suites. What a suite sets is overwritten.
	Backends backends.Options
}

// A Suite holds the worlds of the cases of a suite, and the backends for each release. It may be used concurrently.
type Suite struct {
	suite     *scenario.Suite
	options   Options
	ctx       context.Context
	compilers *Compilers

	mu       sync.Mutex
	variants map[string]*Variant
	releases map[string]*Release
	made     []*backends.Backends // backends of single cases
}

// New returns the worlds of a suite, none of which is made yet. The compilers are shared by all suites.
func New(ctx context.Context, s *scenario.Suite, o Options, c *Compilers) *Suite {
	return &Suite{suite: s, options: o, ctx: ctx, compilers: c, variants: map[string]*Variant{}, releases: map[string]*Release{}}
}

// Close stops the backends.
func (s *Suite) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.backends() {
		b.Close()
	}
}

// backends returns all backends that were made.
func (s *Suite) backends() (all []*backends.Backends) {
	for _, r := range s.releases {
		if r.backends != nil {
			all = append(all, r.backends)
		}
	}
	return append(all, s.made...)
}

// A Variant is a world that some cases of a suite find.
type Variant struct {
	*Release
	once     sync.Once
	world    *world.World
	warnings []*scenario.Error
	err      error
}

// Simulator returns the simulator of the world, nil if the world could not be made.
func (v *Variant) Simulator() *simulator.Simulator {
	if v.world == nil {
		return nil
	}
	return v.world.Simulator()
}

// All returns the variants that were made, always in the same order.
func (s *Suite) All() (all []*Variant) {
	for _, key := range slices.Sorted(maps.Keys(s.variants)) {
		all = append(all, s.variants[key])
	}
	return all
}

// Err says why none of the worlds of the suite could be made. It is reported once, instead of for each case. It returns
// nil if one could be made.
func (s *Suite) Err() error {
	var errs []error
	for _, v := range s.All() {
		if v.err == nil {
			return nil
		}
		errs = append(errs, v.err)
	}
	return scenario.Together(errs...)
}

// Warnings returns the warnings of all worlds, without duplicates.
func (s *Suite) Warnings() (all []*scenario.Error) {
	seen := map[string]bool{}
	for _, v := range s.All() {
		for _, w := range v.warnings {
			if !seen[w.Error()] {
				seen[w.Error()] = true
				all = append(all, w)
			}
		}
	}
	return all
}

// A Case is a case of a suite in one combination of its matrix.
type Case struct {
	of          *scenario.Case
	combination cases.Combination
	suite       *Suite
}

// Case returns a case of the suite in one combination of its matrix.
func (s *Suite) Case(c *scenario.Case, one cases.Combination) *Case { return &Case{c, one, s} }

// World returns the world of the case, as it is described.
func (c *Case) World() scenario.SuiteWorld { return world.ForCase(c.suite.suite, c.of) }

// Plugins returns the plugins that run in the world, in order.
func (c *Case) Plugins() ([]string, error) {
	r, err := c.Release()
	if err != nil {
		return nil, err
	}
	made, _, err := world.Plugins(c.World().Plugins, r.Kubernetes)
	if err != nil {
		return nil, err
	}
	return made.Names(r.Kubernetes)
}

// Release returns the release of the world.
func (c *Case) Release() (*Release, error) { return c.suite.released(c.version()) }

func (c *Case) version() string {
	return cmp.Or(c.combination.Release, c.of.Override.Release, c.suite.suite.World.Release, c.suite.options.Release)
}

// Simulator returns the simulator of the world, which is made if necessary.
func (c *Case) Simulator() (*simulator.Simulator, error) {
	v, err := c.Variant()
	return v.Simulator(), err
}

// Variant returns the world that the case finds. Cases that find the same world share it.
func (c *Case) Variant() (*Variant, error) {
	s, o, version := c.suite, c.of.Override, c.version()
	key := version + "|" + c.combination.FailurePolicy
	if c.combination.FailurePolicy != "" {
		key += " of " + c.of.Matrix.Webhook
	}
	if o.Plugins != nil || o.AllowEveryone != nil || o.Controllers != nil || o.Authorization != nil || len(o.Objects) > 0 {
		key += "|" + o.Source.String()
	}
	s.mu.Lock()
	v := s.variants[key]
	if v == nil {
		v = &Variant{}
		s.variants[key] = v
	}
	s.mu.Unlock()
	v.once.Do(func() {
		var unready error
		if v.Release, unready = s.released(version); v.Kubernetes != nil {
			unready = scenario.Together(unready, c.build(v))
		}
		v.err = unready
	})
	return v, v.err
}

// build makes the world of a variant. The error contains everything that is wrong with it, except for its backends.
func (c *Case) build(v *Variant) error {
	w, o := c.World(), c.suite.options
	objects := w.Objects
	if c.combination.FailurePolicy != "" {
		var err error
		if objects, err = withFailurePolicy(objects, c.combination.FailurePolicy, c.of.Matrix.Webhook); err != nil {
			return err
		}
	}
	plugins, ofPlugins, unconfigured := world.Plugins(w.Plugins, v.Kubernetes)
	if unconfigured != nil {
		plugins = simulator.Plugins{} // objects do not depend on plugins
	}
	options := world.Options{
		Release:       v.Kubernetes,
		Plugins:       plugins,
		Controllers:   w.Controllers,
		IgnoreUnknown: o.IgnoreUnknown,
		Incomplete:    w.Incomplete,
		Variables:     o.Verbose,
		Unchecked:     !o.Verbose,
		Expressions:   v.expressions,
		Authorization: o.Authorization,
	}
	if w.Authorization != nil {
		options.Authorization = *w.Authorization
	}
	if b := v.backends; b != nil {
		options.Backends = b.Backend
	}
	made, ofWorld, buildErr := world.New(objects, options)
	v.warnings = append(ofPlugins, ofWorld...)
	if err := scenario.Together(unconfigured, buildErr); err != nil {
		return err
	}
	v.world = made
	v.warnings = slices.Concat(v.warnings, made.Unbound(), made.Unevaluated(), made.Ungated(), made.Ruleless())
	v.state.CompareAndSwap(nil, made.Simulator().State())
	return nil
}

// Enter returns a variant for one run of the case, and the fault of its webhooks; nil if they have none.
func (c *Case) Enter(v *Variant) (*world.World, *Fault, error) {
	fault, err := newFault(c.of.Matrix.Webhook, c.combination.Fault)
	if err != nil {
		return nil, nil, err
	}
	resolver, err := c.resolver(v, fault)
	if err != nil {
		return nil, nil, err
	}
	w, err := v.world.Fork(resolver)
	return w, fault, err
}

// resolver returns the backends of a case. It returns nil if they are those of the whole suite, so that what was
// compiled for those is reused.
func (c *Case) resolver(v *Variant, fault *Fault) (world.Resolver, error) {
	p := backends.Precedence{Suite: v.backends}
	if o := c.of.Override.Backends; len(o.List)+len(o.Services) > 0 {
		var err error
		state := func() *cluster.State { return v.Simulator().State() }
		s := c.suite
		if p.Case, err = backends.New(s.ctx, o, s.backendOptions(v.Release, state)); err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.made = append(s.made, p.Case)
		s.mu.Unlock()
	}
	if fault != nil {
		p.First = fault.backends
	}
	if p.Case == nil && p.First == nil {
		return nil, nil
	}
	return p.Backend, nil
}
