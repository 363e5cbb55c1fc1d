package suite

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// A suiteRun is a suite while its cases run. The worlds that its cases find are made once
// each, and so are the backends of each release.
type suiteRun struct {
	suite     *scenario.Suite
	options   Options
	ctx       context.Context
	units     []*unit
	partial   bool // not all cases run
	mu        sync.Mutex
	compilers *compilers
	variants  map[string]*variant
	releases  map[string]*released
	made      []*backends.Backends // of cases
	namesake  *scenario.Error      // that another suite has its name
	err       error                // why no case can run
}

// A variant is a world as some cases of a suite find it.
type variant struct {
	once     sync.Once
	world    *world.World
	release  *released
	warnings []*scenario.Error
	err      error
}

// released is what depends on nothing but the release.
type released struct {
	once        sync.Once
	release     *kubeversion.Release
	expressions *expression.Compiler
	conditions  map[string]*expression.Predicate // of what is expected of objects, by their text
	backends    *backends.Backends
	state       atomic.Pointer[cluster.State] // of the first world
	err         error
}

// compilers are one of each release for all suites.
type compilers struct {
	mu sync.Mutex
	by map[string]*expression.Compiler
}

func newCompilers() *compilers { return &compilers{by: map[string]*expression.Compiler{}} }

func (c *compilers) of(r *kubeversion.Release) *expression.Compiler {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by[r.Version] == nil {
		c.by[r.Version] = expression.New(r)
	}
	return c.by[r.Version]
}

func newSuiteRun(ctx context.Context, s *scenario.Suite, o Options, c *compilers) *suiteRun {
	return &suiteRun{suite: s, options: o, ctx: ctx, compilers: c, variants: map[string]*variant{}, releases: map[string]*released{}}
}

func (s *suiteRun) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.backends() {
		b.Close()
	}
}

// backends are all that were made.
func (s *suiteRun) backends() (all []*backends.Backends) {
	for _, r := range s.releases {
		if r.backends != nil {
			all = append(all, r.backends)
		}
	}
	return append(all, s.made...)
}

// buildErr is why none of the worlds could be made that the cases of a suite find. It is reported once, and
// not for each of them. It is nil if one could.
func (s *suiteRun) buildErr() error {
	var errs []error
	for _, key := range sorted(s.variants) {
		if s.variants[key].err == nil {
			return nil
		}
		errs = append(errs, s.variants[key].err)
	}
	return scenario.Together(errs...)
}

func (s *suiteRun) warnings() (all []*scenario.Error) {
	seen := map[string]bool{}
	for _, key := range sorted(s.variants) {
		for _, w := range s.variants[key].warnings {
			if !seen[w.Error()] {
				seen[w.Error()] = true
				all = append(all, w)
			}
		}
	}
	return all
}

// released returns what depends on a release; empty is the default one.
func (s *suiteRun) released(version string) (*released, error) {
	s.mu.Lock()
	r := s.releases[version]
	if r == nil {
		r = &released{}
		s.releases[version] = r
	}
	s.mu.Unlock()
	r.once.Do(func() {
		r.release = kubeversion.Default()
		if version != "" {
			if r.release, r.err = kubeversion.Parse(version); r.err != nil {
				return
			}
		}
		r.expressions, r.conditions = s.compilers.of(r.release), map[string]*expression.Predicate{}
		r.backends, r.err = backends.New(s.ctx, s.suite.Backends, s.backendOptions(r, r.state.Load))
	})
	return r, r.err
}

func (s *suiteRun) backendOptions(r *released, state func() *cluster.State) backends.Options {
	o := s.options.Backends
	o.Expressions, o.Objects, o.State = r.expressions, s.suite.World.Objects, state
	return o
}

// version is the release that a unit runs in.
func (u *unit) version() string {
	return first(u.combination.release, u.of.Override.Release, u.suite.World.Release, u.options.Release)
}

// variantOf is the world that a unit finds, shared with all that find the same one.
func (u *unit) variantOf() (*variant, error) {
	o, version := u.of.Override, u.version()
	key := version + "|" + u.combination.failurePolicy
	if u.combination.failurePolicy != "" {
		key += " of " + u.of.Matrix.Webhook
	}
	if o.Plugins != nil || o.AllowEveryone != nil || o.Controllers != nil || o.Authorization != nil || len(o.Objects) > 0 {
		key += "|" + o.Source.String()
	}
	u.mu.Lock()
	v := u.variants[key]
	if v == nil {
		v = &variant{}
		u.variants[key] = v
	}
	u.mu.Unlock()
	v.once.Do(func() {
		var unready error
		if v.release, unready = u.released(version); v.release.release != nil {
			unready = scenario.Together(unready, u.build(v))
		}
		v.err = unready
	})
	return v, v.err
}

// build makes the world of a variant. The error is all that is wrong with it but for its backends.
func (u *unit) build(v *variant) error {
	w := world.ForCase(u.suite, u.of)
	objects := w.Objects
	if u.combination.failurePolicy != "" {
		var err error
		if objects, err = withFailurePolicy(objects, u.combination.failurePolicy, u.of.Matrix.Webhook); err != nil {
			return err
		}
	}
	plugins, ofPlugins, unconfigured := world.Plugins(w.Plugins, v.release.release)
	if unconfigured != nil {
		plugins = simulator.Plugins{} // objects do not depend on them
	}
	options := world.Options{
		Release:       v.release.release,
		Plugins:       plugins,
		Controllers:   w.Controllers,
		IgnoreUnknown: u.options.IgnoreUnknown,
		Incomplete:    w.Incomplete,
		Variables:     u.options.Verbose,
		Unchecked:     !u.options.Verbose,
		Expressions:   v.release.expressions,
		Authorization: w.Authorization,
	}
	if w.Authorization == nil {
		options.Authorization = u.options.Authorization
	}
	if b := v.release.backends; b != nil {
		options.Backends = b.Backend
	}
	made, ofWorld, buildErr := world.New(objects, options)
	v.warnings = append(ofPlugins, ofWorld...)
	if err := scenario.Together(unconfigured, buildErr); err != nil {
		return err
	}
	v.world = made
	v.warnings = append(v.warnings, append(made.Unbound(), made.Unevaluated()...)...)
	v.release.state.CompareAndSwap(nil, made.Simulator().State())
	return nil
}

// withFailurePolicy is objects with that failure policy in the webhooks of that name; all
// without one.
func withFailurePolicy(objects []scenario.Manifest, policy, webhook string) ([]scenario.Manifest, error) {
	named, err := matching(webhook, nil)
	if err != nil {
		return nil, err
	}
	changed := slices.Clone(objects)
	for i, m := range changed {
		if m.Group != "admissionregistration.k8s.io" {
			continue
		}
		var whole map[string]any
		if err := json.Unmarshal(m.JSON, &whole); err != nil {
			return nil, err
		}
		webhooks, _ := whole["webhooks"].([]any)
		for _, w := range webhooks {
			one, _ := w.(map[string]any)
			if name, _ := one["name"].(string); named.Declares(m.Name, name) {
				one["failurePolicy"] = policy
			}
		}
		if changed[i].JSON, err = json.Marshal(whole); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// matching returns one backend for the webhooks that a pattern names; an empty one names all.
func matching(pattern string, backend dispatch.Backend) (*dispatch.Backends, error) {
	return dispatch.NewBackends(dispatch.Route{Webhook: first(pattern, "*"), Backend: backend})
}

// resolver returns the backends of a unit, nil if they are those of the whole suite, so that what
// was compiled for these is used on.
func (u *unit) resolver(v *variant) (world.Resolver, error) {
	p := backends.Precedence{Suite: v.release.backends}
	if o := u.of.Override.Backends; len(o.List)+len(o.Services) > 0 {
		var err error
		state := func() *cluster.State { return v.world.Simulator().State() }
		if p.Case, err = backends.New(u.ctx, o, u.backendOptions(v.release, state)); err != nil {
			return nil, err
		}
		u.mu.Lock()
		u.made = append(u.made, p.Case)
		u.mu.Unlock()
	}
	if fault := u.combination.fault; fault != "" && fault != scenario.NoFault {
		faulty, err := dispatch.NewMock(nil, scenario.FaultAnswer(fault))
		if err != nil {
			return nil, err
		}
		u.faulty = faulty
		if p.Fault, err = matching(u.of.Matrix.Webhook, faulty); err != nil {
			return nil, err
		}
	}
	if p.Case == nil && p.Fault == nil {
		return nil, nil
	}
	return p.Backend, nil
}
