// Package variants makes the worlds that the cases of a suite find, each once, and what answers for their webhooks:
// a case may change the world of its suite, and a combination of its matrix the release, the failure policy of
// webhooks, or that they fail.
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
	Release       string // of suites that name none; empty: the default one
	IgnoreUnknown bool   // see [world.Options]

	Authorization scenario.Authorization // of suites that say nothing of it; see [world.Options]

	// Verbose has traces hold the values of all variables of policies, and warns of fields in
	// them that no kind has.
	Verbose bool

	// Backends are what is said of webhooks beside the suites. Of it, what a suite tells is
	// overwritten.
	Backends backends.Options
}

// A Suite has the worlds that the cases of a suite find, and the backends of each release. Many may use it at once.
type Suite struct {
	suite     *scenario.Suite
	options   Options
	ctx       context.Context
	compilers *Compilers

	mu       sync.Mutex
	variants map[string]*Variant
	releases map[string]*Release
	made     []*backends.Backends // of cases
}

// New returns the worlds of a suite, of which none is made yet. The compilers are shared by all suites.
func New(ctx context.Context, s *scenario.Suite, o Options, c *Compilers) *Suite {
	return &Suite{suite: s, options: o, ctx: ctx, compilers: c, variants: map[string]*Variant{}, releases: map[string]*Release{}}
}

// Close ends what answers for webhooks.
func (s *Suite) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.backends() {
		b.Close()
	}
}

// backends are all that were made.
func (s *Suite) backends() (all []*backends.Backends) {
	for _, r := range s.releases {
		if r.backends != nil {
			all = append(all, r.backends)
		}
	}
	return append(all, s.made...)
}

// A Variant is a world as some cases of a suite find it.
type Variant struct {
	*Release
	once     sync.Once
	world    *world.World
	warnings []*scenario.Error
	err      error
}

// Simulator is that of the world, nil if it could not be made.
func (v *Variant) Simulator() *simulator.Simulator {
	if v.world == nil {
		return nil
	}
	return v.world.Simulator()
}

// All are the variants that were made, in the same order every time.
func (s *Suite) All() (all []*Variant) {
	for _, key := range slices.Sorted(maps.Keys(s.variants)) {
		all = append(all, s.variants[key])
	}
	return all
}

// Err is why none of the worlds could be made that the cases of a suite find. It is reported once, and
// not for each of them. It is nil if one could.
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

// Warnings are those of all worlds, each once.
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

// Case is a case of the suite in one combination of its matrix.
func (s *Suite) Case(c *scenario.Case, one cases.Combination) *Case { return &Case{c, one, s} }

// World is what makes the world that the case finds.
func (c *Case) World() scenario.SuiteWorld { return world.ForCase(c.suite.suite, c.of) }

// Plugins are those that run in the world, in order.
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

// Release is that of the world.
func (c *Case) Release() (*Release, error) { return c.suite.released(c.version()) }

func (c *Case) version() string {
	return cmp.Or(c.combination.Release, c.of.Override.Release, c.suite.suite.World.Release, c.suite.options.Release)
}

// Simulator is that of the world, which is made if it was not yet.
func (c *Case) Simulator() (*simulator.Simulator, error) {
	v, err := c.Variant()
	return v.Simulator(), err
}

// Variant is the world that the case finds, shared with all that find the same one.
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

// build makes the world of a variant. The error is all that is wrong with it but for its backends.
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
		plugins = simulator.Plugins{} // objects do not depend on them
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

// Enter returns a variant that the case finds, for one run of the case, and the fault that its webhooks have there;
// nil if they have none.
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

// resolver returns the backends of a case, nil if they are those of the whole suite, so that what
// was compiled for these is used on.
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
