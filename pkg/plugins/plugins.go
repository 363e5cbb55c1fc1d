// Package plugins contains the built-in admission plugins, one file each.
//
// Start with [NewSet], which creates plugins by name, and [Documented], which describes a plugin. To add a plugin,
// write its file, add its row to documentation_today.go, and its row to the chain of a release in package kubeversion.
// The package does not know the order of plugins. Webhooks and policies, which are plugins too, have packages of their
// own.
package plugins

import (
	"errors"
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

// Options are the settings of plugins. All but Configuration must be set.
type Options struct {
	Release    *kubeversion.Release
	Resources  *discovery.Resources
	Types      *objects.Types
	Authorizer authorizer.UnconditionalAuthorizer
	Backends   func(configuration, webhook string) dispatch.Backend
	Send       plugin.Send

	Now    func() time.Time
	Suffix func() string // completes a generated name

	// Configuration is the plugin's own part of the admission configuration, as JSON; nil if there is none.
	Configuration []byte
}

// plain returns a constructor for a plugin that needs nothing.
func plain(p any) func(Options) (any, error) {
	return func(Options) (any, error) { return p, nil }
}

// released returns a constructor for a plugin that differs between releases.
func released[P any](make func(*kubeversion.Release) P) func(Options) (any, error) {
	return func(o Options) (any, error) { return make(o.Release), nil }
}

// asking returns a constructor for a plugin that asks the authorizer.
func asking[P any](make func(authorizer.UnconditionalAuthorizer) P) func(Options) (any, error) {
	return func(o Options) (any, error) { return make(o.Authorizer), nil }
}

// configured returns a constructor for a plugin with a configuration.
func configured[P any](make func(configuration []byte) (P, error)) func(Options) (any, error) {
	return func(o Options) (any, error) { return make(o.Configuration) }
}

// anyVersion returns a constructor for a plugin that sees objects in the stored version.
func anyVersion(makePlugin func(Options) (any, error)) func(Options) (any, error) {
	return func(o Options) (any, error) {
		made, err := makePlugin(o)
		if err != nil {
			return nil, err
		}
		return plugin.AnyVersion(made, o.Release, o.Types.Convert), nil
	}
}

// build creates the plugin with that name. ok reports whether admsim has it.
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

// NewSet creates the plugins in run that admsim has, except webhooks and policies. configuration has the configuration
// of each plugin; located returns an error about it with the positions that it is about. The error is about all plugins
// that cannot be created.
func NewSet(run []kubeversion.Plugin, o Options, configuration map[string][]byte, located func(plugin string, err error) error) (Set, error) {
	made := Set{}
	var wrong []error
	for _, known := range run {
		o.Configuration = configuration[known.Name]
		plugin, ok, err := build(known.Name, o)
		switch {
		case err != nil:
			wrong = append(wrong, located(known.Name, err))
		case ok:
			made[known.Name] = plugin
		}
	}
	return made, errors.Join(wrong...)
}

// Link returns the plugin with that name. ok reports whether the set has it.
func (s Set) Link(name string) (p chain.Plugin, ok bool) {
	p, ok = s[name]
	return p, ok
}

// RecountQuotas returns s in which the status of every ResourceQuota has its limits and usage, as the quota controller
// of a real cluster would have written them. A status that is already set is kept. Only the options Release, Resources,
// Types and Now are needed.
func (o Options) RecountQuotas(s *cluster.State) (*cluster.State, error) {
	return limits.RecountQuotas(s, o.Release, o.Resources, o.Types, o.Now)
}
