// Package plugins contains the built-in admission plugins, a file each.
//
// Start with [NewSet], which makes a plugin by its name, and [Documented], which describes it. To add a plugin,
// write its file, add its row to documentation_today.go, and its row to the chain of a release in package
// kubeversion. The package does not know the order of plugins. Webhooks and policies, which are plugins too,
// have packages of their own.
package plugins

import (
	"fmt"
	"time"

	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/plugins/limits"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Options are what plugins work with. All but Configuration must be set.
type Options struct {
	Release    *kubeversion.Release
	Resources  *discovery.Resources
	Types      *objects.Types
	Authorizer authorizer.UnconditionalAuthorizer
	Backends   func(configuration, webhook string) dispatch.Backend
	Create     plugin.Create

	Now    func() time.Time
	Suffix func() string // completes a generated name

	// Configuration is the plugin's own part of the admission configuration, as JSON; nil if there is none.
	Configuration []byte
}

// plain makes a plugin that needs nothing.
func plain(p any) func(Options) (any, error) {
	return func(Options) (any, error) { return p, nil }
}

// released makes one that differs between releases.
func released[P any](make func(*kubeversion.Release) P) func(Options) (any, error) {
	return func(o Options) (any, error) { return make(o.Release), nil }
}

// asking makes one that asks what the sender of a request may do.
func asking[P any](make func(authorizer.UnconditionalAuthorizer) P) func(Options) (any, error) {
	return func(o Options) (any, error) { return make(o.Authorizer), nil }
}

// configured makes one that has a configuration.
func configured[P any](make func(configuration []byte) (P, error)) func(Options) (any, error) {
	return func(o Options) (any, error) { return make(o.Configuration) }
}

// anyVersion makes one that sees objects in the version that is stored.
func anyVersion(makePlugin func(Options) (any, error)) func(Options) (any, error) {
	return func(o Options) (any, error) {
		made, err := makePlugin(o)
		if err != nil {
			return nil, err
		}
		return plugin.AnyVersion(made, o.Release, o.Types.Convert), nil
	}
}

// build makes the plugin of that name. ok reports whether admsim has it.
func build(name string, o Options) (p chain.Plugin, ok bool, err error) {
	d, _ := Documented(name)
	if d.make == nil {
		return chain.Plugin{}, false, nil
	}
	made, err := d.make(o)
	if err != nil {
		return chain.Plugin{}, true, fmt.Errorf("%s: %w", name, err)
	}
	p.Name = name
	p.Mutator, _ = made.(chain.Mutator)
	p.Validator, _ = made.(chain.Validator)
	return p, true, nil
}

// A Set has plugins by name.
type Set map[string]chain.Plugin

// NewSet makes those of the plugins that admsim has and that are no webhooks or policies. configuration has each
// one's own; located is an error about it with the places that it speaks of.
func NewSet(run []kubeversion.Plugin, o Options, configuration map[string][]byte, located func(plugin string, err error) error) (Set, error) {
	made := Set{}
	for _, known := range run {
		o.Configuration = configuration[known.Name]
		plugin, ok, err := build(known.Name, o)
		if err != nil {
			return nil, located(known.Name, err)
		}
		if ok {
			made[known.Name] = plugin
		}
	}
	return made, nil
}

// Link returns the plugin of that name. ok reports whether the set has it.
func (s Set) Link(name string) (p chain.Plugin, ok bool) {
	p, ok = s[name]
	return p, ok
}

// RecountQuotas returns s in which the status of every ResourceQuota says what it limits and how much of it is
// used, as the quota controller of a real cluster would have written. A status that is already set stays. Only
// the options Release, Resources, Types and Now are needed.
func RecountQuotas(s *cluster.State, o Options) (*cluster.State, error) {
	return limits.RecountQuotas(s, o.Release, o.Resources, o.Types, o.Now)
}
