package main

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// grounds make a loaded world once more: with other backends, and as the cases of suites
// find it. A case finds what its suite has around it, the objects of the loaded world in the
// place of what they name again. Its webhooks and policies are those of its suite only where
// nobody named others: they are what is asked about.
type grounds struct {
	ctx       context.Context
	flags     *worldFlags
	loaded    *loaded
	admission bool // webhooks or policies are named

	mu        sync.Mutex
	worlds    map[*whatif.Ground]*world.World
	states    map[*whatif.Ground]*atomic.Pointer[cluster.State]
	whos      map[*whatif.Ground]whatif.Who
	suites    map[*scenario.Suite]*world.Backends
	backends  []*world.Backends
	compilers map[string]*expression.Compiler
}

// grounds are those of a loaded world. named are the manifests that are there whatever the
// question is.
func (f *worldFlags) grounds(ctx context.Context, w *loaded, named []scenario.Manifest) *grounds {
	return &grounds{
		ctx: ctx, flags: f, loaded: w, admission: slices.ContainsFunc(named, isAdmission),
		worlds:    map[*whatif.Ground]*world.World{nil: w.World},
		states:    map[*whatif.Ground]*atomic.Pointer[cluster.State]{},
		whos:      map[*whatif.Ground]whatif.Who{nil: w.Backends.Backend},
		suites:    map[*scenario.Suite]*world.Backends{},
		compilers: map[string]*expression.Compiler{},
	}
}

func isAdmission(m scenario.Manifest) bool { return m.Group == "admissionregistration.k8s.io" }

func (g *grounds) close() {
	for _, b := range g.backends {
		b.Close()
	}
}

// make is the [whatif.Maker].
func (g *grounds) make(on *whatif.Ground, change func(whatif.Who) whatif.Who) (*world.World, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	who, err := g.who(on)
	if err != nil {
		return nil, err
	}
	w := g.worlds[on]
	if w == nil {
		if w, err = g.world(on, who); err != nil {
			return nil, err
		}
		g.worlds[on] = w
		g.stateOf(on).Store(w.Simulator().State())
	}
	if change != nil {
		who = change(who)
	}
	return w.Fork(who)
}

// world is the one that a case finds.
func (g *grounds) world(on *whatif.Ground, who whatif.Who) (*world.World, error) {
	of := world.ForCase(on.Suite, on.Case)
	release, err := g.release(of.Release)
	if err != nil {
		return nil, err
	}
	plugins, err := g.plugins(of.Plugins, release)
	if err != nil {
		return nil, err
	}
	objects := of.Objects
	if g.admission {
		objects = slices.DeleteFunc(slices.Clone(objects), isAdmission)
	}
	compiler := g.compilers[release.Version]
	if compiler == nil {
		compiler = expression.New(release)
		g.compilers[release.Version] = compiler
	}
	w, _, err := world.New(world.Replaced(objects, g.loaded.Bag.Objects), world.Options{
		Unexplained:   g.flags.unexplained,
		Release:       release,
		Plugins:       plugins,
		Backends:      who,
		Controllers:   of.Controllers && g.flags.controllers,
		IgnoreUnknown: g.flags.allowUnknown,
		Expressions:   compiler,
		Unchecked:     true, // of policies that admsim test warns of
	})
	return w, err
}

func (g *grounds) release(ofSuite string) (*kubeversion.Release, error) {
	if ofSuite == "" || g.flags.released || g.flags.says("kubernetes-version") {
		return g.loaded.Release, nil
	}
	release, err := kubeversion.Parse(ofSuite)
	if err != nil {
		return nil, err
	}
	return g.flags.switched(release)
}

// plugins are those of a suite, with what flags say.
func (g *grounds) plugins(of scenario.SuitePlugins, release *kubeversion.Release) (simulator.Plugins, error) {
	flags := g.flags.plugins
	if len(flags.Only) > 0 {
		return flags, nil
	}
	without := func(names, others []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
	}
	of.Enable = append(without(of.Enable, flags.Disable), flags.Enable...)
	of.Disable = append(without(of.Disable, flags.Enable), flags.Disable...)
	plugins, _, err := world.Plugins(of, release) // admsim test warns
	if flags.Configuration != nil {
		plugins.Configuration, plugins.Located = flags.Configuration, flags.Located
	}
	return plugins, err
}

// who answers for webhooks: what is said of them in a case, in the loaded world, or in the
// suite.
func (g *grounds) who(on *whatif.Ground) (whatif.Who, error) {
	if who, made := g.whos[on]; made {
		return who, nil
	}
	ofSuite := g.suites[on.Suite]
	if ofSuite == nil {
		var err error
		if ofSuite, err = g.answering(on, on.Suite.Backends); err != nil {
			return nil, err
		}
		g.suites[on.Suite] = ofSuite
	}
	var ofCase *world.Backends
	if o := on.Case.Override.Backends; len(o.List)+len(o.Services) > 0 {
		var err error
		if ofCase, err = g.answering(on, o); err != nil {
			return nil, err
		}
	}
	who := world.Precedence{Case: ofCase, Loaded: g.loaded.Backends, Suite: ofSuite}.Backend
	g.whos[on] = who
	return who, nil
}

// stateOf is where the state of the cluster is kept for those that answer in it.
func (g *grounds) stateOf(on *whatif.Ground) *atomic.Pointer[cluster.State] {
	if g.states[on] == nil {
		g.states[on] = &atomic.Pointer[cluster.State]{}
	}
	return g.states[on]
}

// known tells for a request whether what a webhook answers is said somewhere, and not
// assumed.
func (g *grounds) known(r whatif.Request) func(configuration, webhook string) bool {
	var on *whatif.Ground
	if r.Step != nil {
		on = r.Step.Ground
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	who, err := g.who(on)
	if err != nil {
		return nil
	}
	assumed := g.flags.unmatched()
	return func(configuration, webhook string) bool { return who(configuration, webhook) != assumed }
}

func (g *grounds) answering(on *whatif.Ground, declared scenario.Backends) (*world.Backends, error) {
	allowed, err := g.flags.consent.allowed(on.Suite.Source.File)
	if err != nil {
		return nil, err
	}
	b, err := world.NewBackends(g.ctx, declared, world.BackendOptions{
		Expressions: expression.New(g.loaded.Release),
		Objects:     on.Suite.World.Objects,
		State:       g.stateOf(on).Load,
		Consent:     allowed,
		Services:    g.flags.services,
		Proxy:       true,
		Live:        g.flags.live,
		Unmatched:   g.flags.unmatched(),
		Now:         time.Now,
	})
	if err == nil {
		g.backends = append(g.backends, b)
	}
	return b, err
}
