package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/world"
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
	made      []*world.Backends // of cases
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
	backends    *world.Backends
	state       atomic.Pointer[cluster.State] // of the first world
	err         error
}

// compilers are one of each release for all suites.
type compilers struct {
	mu sync.Mutex
	by map[string]*expression.Compiler
}

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
func (s *suiteRun) backends() (all []*world.Backends) {
	for _, r := range s.releases {
		if r.backends != nil {
			all = append(all, r.backends)
		}
	}
	return append(all, s.made...)
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
		r.expressions = s.compilers.of(r.release)
		r.backends, r.err = world.NewBackends(s.ctx, s.suite.Backends, s.backendOptions(r, r.state.Load))
	})
	return r, r.err
}

func (s *suiteRun) backendOptions(r *released, state func() *cluster.State) world.BackendOptions {
	o := s.options.Backends
	o.Expressions, o.Objects, o.State = r.expressions, s.suite.World.Objects, state
	return o
}

// variantOf is the world that a unit finds, shared with all that find the same one.
func (u *unit) variantOf() (*variant, error) {
	o := u.of.Override
	version := first(u.combination.release, o.Release, u.suite.World.Release, u.options.Release)
	key := version + "|" + u.combination.failurePolicy
	if u.combination.failurePolicy != "" {
		key += " of " + u.of.Matrix.Webhook
	}
	if o.Plugins != nil || o.AllowEveryone != nil || o.Controllers != nil || len(o.Objects) > 0 {
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
		if v.release, v.err = u.released(version); v.err == nil {
			v.err = u.build(v)
		}
	})
	return v, v.err
}

// build makes the world of a variant.
func (u *unit) build(v *variant) error {
	w, o := u.suite.World, u.of.Override
	if o.Plugins != nil {
		w.Plugins = *o.Plugins
	}
	if o.AllowEveryone != nil {
		w.AllowEveryone = *o.AllowEveryone
	}
	if o.Controllers != nil {
		w.Controllers = *o.Controllers
	}
	objects := replaced(w.Objects, o.Objects)
	if w.AllowEveryone {
		objects = append(objects, u.everyone())
	}
	var err error
	if u.combination.failurePolicy != "" {
		if objects, err = withFailurePolicy(objects, u.combination.failurePolicy, u.of.Matrix.Webhook); err != nil {
			return err
		}
	}
	plugins, err := u.plugins(w.Plugins, v.release.release)
	if err != nil {
		return err
	}
	v.world, v.warnings, err = world.New(objects, world.Options{
		Release:       v.release.release,
		Plugins:       plugins,
		Backends:      v.release.backends.Backend,
		Controllers:   w.Controllers,
		IgnoreUnknown: u.options.IgnoreUnknown,
		Variables:     u.options.Verbose,
		Unchecked:     !u.options.Verbose,
		Expressions:   v.release.expressions,
	})
	if err == nil {
		v.release.state.CompareAndSwap(nil, v.world.Simulator().State())
	}
	return err
}

func (u *unit) plugins(p scenario.SuitePlugins, r *kubeversion.Release) (simulator.Plugins, error) {
	made := simulator.Plugins{Enable: p.Enable, Disable: p.Disable}
	chain, err := r.Chain(p.Enable, p.Disable)
	if err != nil {
		return made, &scenario.Error{Source: p.Source, Message: "plugins: " + err.Error(), Err: err}
	}
	names := make([]string, len(chain))
	for i, one := range chain {
		names[i] = one.Name
	}
	made.Configuration, err = p.Configuration(names)
	return made, err
}

// replaced is all, with those of others in the place of what they name again.
func replaced(all, others []scenario.Manifest) []scenario.Manifest {
	if len(others) == 0 {
		return slices.Clip(all)
	}
	key := func(m scenario.Manifest) string {
		return fmt.Sprintf("%s %s/%s", m.GroupKind(), first(m.Namespace, "default"), m.Name)
	}
	by := map[string]bool{}
	for _, m := range others {
		by[key(m)] = true
	}
	kept := slices.DeleteFunc(slices.Clone(all), func(m scenario.Manifest) bool { return by[key(m)] })
	return append(kept, others...)
}

// everyone binds all groups, and all users that the suite names and that may be in none, to
// the role that may do everything.
func (u *unit) everyone() scenario.Manifest {
	binding := rbacv1.ClusterRoleBinding{RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"}}
	binding.APIVersion, binding.Kind, binding.Name = rbacv1.SchemeGroupVersion.String(), "ClusterRoleBinding", "admsim:everyone"
	for _, group := range []string{"system:authenticated", "system:unauthenticated"} {
		binding.Subjects = append(binding.Subjects, rbacv1.Subject{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: group})
	}
	names := map[string]bool{u.suite.Defaults.User.Username: true}
	for _, c := range u.suite.Cases {
		for _, step := range c.Steps {
			if step.Request != nil && step.Request.User != nil {
				names[step.Request.User.Username] = true
			}
		}
	}
	for _, name := range sorted(names) {
		if name != "" {
			binding.Subjects = append(binding.Subjects, rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name})
		}
	}
	data, err := json.Marshal(binding)
	if err != nil {
		panic(fmt.Sprintf("a role binding does not encode: %v", err))
	}
	return scenario.Manifest{GroupVersionKind: binding.GroupVersionKind(), Name: binding.Name, JSON: data, Source: u.suite.Source}
}

// withFailurePolicy is objects with that failure policy in the webhooks of that name; all
// without one.
func withFailurePolicy(objects []scenario.Manifest, policy, webhook string) ([]scenario.Manifest, error) {
	concerns, err := concerned(webhook)
	if err != nil {
		return nil, err
	}
	changed := slices.Clone(objects)
	found := false
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
			if name, _ := one["name"].(string); concerns(m.Name, name) {
				one["failurePolicy"], found = policy, true
			}
		}
		if changed[i].JSON, err = json.Marshal(whole); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, fmt.Errorf("the matrix changes the failurePolicy of webhooks, but the world has no webhook %s", webhook)
	}
	return changed, nil
}

// concerned tells which webhooks a pattern names; empty: all.
func concerned(pattern string) (func(configuration, webhook string) bool, error) {
	if pattern == "" {
		return func(string, string) bool { return true }, nil
	}
	names, err := dispatch.NewBackends(dispatch.Route{Webhook: pattern})
	if err != nil {
		return nil, err
	}
	return names.Declares, nil
}

// answering is who answers for webhooks in a unit, nil where that is who answers in the
// whole suite.
func (u *unit) answering(v *variant, state func() *cluster.State) (func(configuration, webhook string) dispatch.Backend, error) {
	backend := v.release.backends.Backend
	changed := false
	if o := u.of.Override.Backends; len(o.List)+len(o.Services) > 0 {
		own, err := world.NewBackends(u.ctx, o, u.backendOptions(v.release, state))
		if err != nil {
			return nil, err
		}
		u.mu.Lock()
		u.made = append(u.made, own)
		u.mu.Unlock()
		of := backend
		changed, backend = true, func(configuration, webhook string) dispatch.Backend {
			if own.Declares(configuration, webhook) {
				return own.Backend(configuration, webhook)
			}
			return of(configuration, webhook)
		}
	}
	if fault := u.combination.fault; fault != "" && fault != scenario.NoFault {
		faulty, err := dispatch.NewMock(nil, scenario.FaultAnswer(fault))
		if err != nil {
			return nil, err
		}
		concerns, err := concerned(u.of.Matrix.Webhook)
		if err != nil {
			return nil, err
		}
		of := backend
		changed, backend = true, func(configuration, webhook string) dispatch.Backend {
			if concerns(configuration, webhook) {
				return faulty
			}
			return of(configuration, webhook)
		}
	}
	if !changed {
		return nil, nil
	}
	return backend, nil
}
