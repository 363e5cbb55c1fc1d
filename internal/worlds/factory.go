package worlds

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// FactoryOptions say what a [Factory] makes. What a suite sets itself overwrites the options of worlds and backends.
type FactoryOptions struct {
	World    world.Options
	Backends backends.Options

	// Named are the manifests that a question is about. If webhooks or policies are among them, those of suites are
	// ignored.
	Named []scenario.Manifest

	// Pinned makes all cases find the release of the loaded world, whatever their suites say. In other releases, Flags
	// apply.
	Pinned bool
	Flags  kubeversion.Flags

	// Consent returns what the caller permits for files loaded from these paths. Nil: nothing.
	Consent func(paths ...string) (*consent.Policy, error)
}

// A Factory makes variants of a loaded world for questions about it: with other backends, and as the cases of suites
// find it. A case finds the world of its suite, with the objects of the loaded world added or put in place of those
// with the same name. Close it when no request runs any more.
type Factory struct {
	ctx       context.Context
	options   FactoryOptions
	loaded    *Loaded
	admission bool // Named has webhooks or policies

	mu        sync.Mutex
	worlds    map[*world.CaseKey]*world.World
	states    map[*world.CaseKey]*atomic.Pointer[cluster.State]
	resolvers map[*world.CaseKey]world.Resolver
	suites    map[*scenario.Suite]*backends.Backends
	backends  []*backends.Backends
	compilers map[string]*expression.Compiler
}

// NewFactory returns a factory for a loaded world.
func NewFactory(ctx context.Context, w *Loaded, o FactoryOptions) *Factory {
	return &Factory{
		ctx: ctx, options: o, loaded: w, admission: slices.ContainsFunc(o.Named, isAdmission),
		worlds:    map[*world.CaseKey]*world.World{nil: w.World},
		states:    map[*world.CaseKey]*atomic.Pointer[cluster.State]{},
		resolvers: map[*world.CaseKey]world.Resolver{nil: backends.Precedence{Loaded: w.Backends}.Backend},
		suites:    map[*scenario.Suite]*backends.Backends{},
		compilers: map[string]*expression.Compiler{},
	}
}

func isAdmission(m scenario.Manifest) bool { return m.Group == "admissionregistration.k8s.io" }

// Close stops the backends, except for those of the loaded world.
func (f *Factory) Close() {
	for _, b := range f.backends {
		b.Close()
	}
}

// Make returns a world. change may replace the resolver of its backends; nil changes nothing. It may be called
// concurrently.
func (f *Factory) Make(key *world.CaseKey, change func(world.Resolver) world.Resolver) (*world.World, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	resolver, err := f.resolver(key)
	if err != nil {
		return nil, err
	}
	w := f.worlds[key]
	if w == nil {
		if w, err = f.world(key, resolver); err != nil {
			return nil, err
		}
		f.worlds[key] = w
		f.stateOf(key).Store(w.Simulator().State())
	}
	if change != nil {
		resolver = change(resolver)
	}
	return w.Fork(resolver)
}

// Declared returns a function that reports whether a backend is declared for a webhook in a world; answers of other
// webhooks are assumed. It returns nil if the world cannot be made.
func (f *Factory) Declared(key *world.CaseKey) func(configuration, webhook string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	resolver, err := f.resolver(key)
	if err != nil {
		return nil
	}
	assumed := f.options.Backends.Unmatched
	return func(configuration, webhook string) bool { return resolver(configuration, webhook) != assumed }
}

// world returns the world that a case finds.
func (f *Factory) world(key *world.CaseKey, resolver world.Resolver) (*world.World, error) {
	of := world.ForCase(key.Suite, key.Case)
	release, err := f.release(of.Release)
	if err != nil {
		return nil, err
	}
	plugins, err := f.plugins(of.Plugins, release)
	if err != nil {
		return nil, err
	}
	objects := of.Objects
	if f.admission {
		objects = slices.DeleteFunc(slices.Clone(objects), isAdmission)
	}
	compiler := f.compilers[release.Version]
	if compiler == nil {
		compiler = expression.New(release)
		f.compilers[release.Version] = compiler
	}
	o := f.options.World
	o.Release, o.Plugins, o.Backends, o.Expressions = release, plugins, resolver, compiler
	o.Controllers = of.Controllers && o.Controllers
	o.Unchecked = true // admsim test gives these warnings
	w, _, err := world.New(world.Replaced(objects, f.loaded.Bag.Objects), o)
	return w, err
}

func (f *Factory) release(ofSuite string) (*kubeversion.Release, error) {
	if ofSuite == "" || f.options.Pinned {
		return f.loaded.Release, nil
	}
	release, err := kubeversion.Parse(ofSuite)
	if err != nil {
		return nil, err
	}
	return release.With(f.options.Flags)
}

// plugins returns the plugins of a suite, changed by the options.
func (f *Factory) plugins(of scenario.SuitePlugins, release *kubeversion.Release) (simulator.Plugins, error) {
	said := f.options.World.Plugins
	if len(said.Only) > 0 {
		return said, nil
	}
	without := func(names, others []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
	}
	of.Enable = append(without(of.Enable, said.Disable), said.Enable...)
	of.Disable = append(without(of.Disable, said.Enable), said.Disable...)
	plugins, _, err := world.Plugins(of, release) // admsim test gives the warnings
	if said.Configuration != nil {
		plugins.Configuration, plugins.Located, plugins.Manifests = said.Configuration, said.Located, said.Manifests
	}
	return plugins, err
}

// resolver returns the resolver for a key, which is created once.
func (f *Factory) resolver(key *world.CaseKey) (world.Resolver, error) {
	if made, ok := f.resolvers[key]; ok {
		return made, nil
	}
	p := backends.Precedence{Loaded: f.loaded.Backends, Suite: f.suites[key.Suite]}
	var err error
	if p.Suite == nil {
		if p.Suite, err = f.newBackends(key, key.Suite.Backends); err != nil {
			return nil, err
		}
		f.suites[key.Suite] = p.Suite
	}
	if o := key.Case.Override.Backends; len(o.List)+len(o.Services) > 0 {
		if p.Case, err = f.newBackends(key, o); err != nil {
			return nil, err
		}
	}
	f.resolvers[key] = p.Backend
	return p.Backend, nil
}

// stateOf returns the pointer to the state of the cluster, for backends that answer in it.
func (f *Factory) stateOf(key *world.CaseKey) *atomic.Pointer[cluster.State] {
	if f.states[key] == nil {
		f.states[key] = &atomic.Pointer[cluster.State]{}
	}
	return f.states[key]
}

func (f *Factory) newBackends(key *world.CaseKey, declared scenario.Backends) (*backends.Backends, error) {
	o := f.options.Backends
	if f.options.Consent != nil {
		var err error
		if o.Consent, err = f.options.Consent(key.Suite.Source.File); err != nil {
			return nil, err
		}
	}
	o.Expressions, o.Objects, o.State = expression.New(f.loaded.Release), key.Suite.World.Objects, f.stateOf(key).Load
	b, err := backends.New(f.ctx, declared, o)
	if err == nil {
		f.backends = append(f.backends, b)
	}
	return b, err
}
