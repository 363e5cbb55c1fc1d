package simulator

import (
	"errors"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/internal/view"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/plugins"
	"github.com/admsim/admsim/pkg/plugins/hooks"
	"github.com/admsim/admsim/pkg/rest"
)

// parts holds everything that answers requests in one state of the cluster. Parts that do not depend on what changed
// are reused from the previous state.
type parts struct {
	release *releaseParts
	view    *view.View
	hooks   *hooks.Plugins
	builtIn plugins.Set // those that run, except the hooks
	server  *rest.Server
}

// releaseParts holds what depends on the release and options only.
type releaseParts struct {
	plugins    []kubeversion.Plugin // those that run, in order
	static     []cluster.Object     // webhooks and policies that are not objects of the cluster
	dispatcher *dispatch.Dispatcher
	suffix     func() string
}

// newParts builds the parts for a state. before holds those of an earlier state, or is nil. The error is about the
// configuration of all plugins that have a wrong one.
func newParts(before *parts, s *cluster.State, o Options) (*parts, error) {
	var unloaded error // manifests on the server's disk
	if before == nil {
		release, err := newReleaseParts(o)
		if err != nil {
			return nil, err
		}
		release.static, unloaded = o.static(release.plugins, nil, false)
		before = &parts{release: release}
	}
	p := &parts{release: before.release, builtIn: before.builtIn}
	var err error
	if p.view, err = view.New(s, o.view(), before.view); err != nil {
		return nil, err
	}
	if p.hooks, err = hooks.New(s, p.hookOptions(o), before.hooks); err != nil {
		return nil, err
	}
	if before.server != nil && p.view == before.view && p.hooks == before.hooks {
		return before, nil
	}
	if p.view != before.view || p.builtIn == nil {
		p.builtIn, err = p.newBuiltIn(o)
		if err = errors.Join(unloaded, err); err != nil {
			return nil, err
		}
	}
	p.server = p.newServer(o)
	return p, nil
}

func (o Options) view() view.Options {
	return view.Options{
		Release:       o.Release,
		Kinds:         kinds.Table(),
		Expressions:   o.Expressions,
		Now:           o.Now,
		Backends:      o.Backends,
		Conversions:   o.conversions,
		Authorization: o.Authorization,
		Authorizers:   o.Authorizers,
		Notes:         o.authorizations,
	}
}

func (p *parts) hookOptions(o Options) hooks.Options {
	return hooks.Options{
		Run:         p.release.plugins,
		Types:       p.view.Types(),
		Resources:   p.view.Resources(),
		Authorizer:  p.view.Authorizer(),
		Release:     o.Release,
		Expressions: o.Expressions,
		Dispatcher:  p.release.dispatcher,
		Backends:    o.Backends,
		At: func(s *cluster.State) (dispatch.Cluster, error) {
			s = s.Live()
			parts, err := newParts(p, s, o)
			return &Simulator{options: o, state: s, parts: parts}, err
		},
		Static:    p.release.static,
		Explain:   o.Explain,
		Variables: o.Variables,
	}
}

func newReleaseParts(o Options) (*releaseParts, error) {
	run, err := bootstrap.Plugins(o.Release, o.Plugins.Enable, o.Plugins.Disable, o.Plugins.Only)
	if err != nil {
		return nil, err
	}
	return &releaseParts{plugins: run, dispatcher: dispatch.New(o.NewUID), suffix: suffixes()}, nil
}

// static returns the webhooks and policies in the manifests that the configuration of these plugins names. before are
// those that a running server has.
func (o Options) static(of []kubeversion.Plugin, before []cluster.Object, running bool) ([]cluster.Object, error) {
	configured := hooks.Configured{
		Release:   o.Release,
		Plugins:   o.Plugins.Configuration,
		Manifests: make(map[string][]hooks.Manifest, len(o.Plugins.Manifests)),
		Running:   running,
		Located:   o.Plugins.located,
	}
	for plugin, list := range o.Plugins.Manifests {
		configured.Manifests[plugin] = []hooks.Manifest{}
		for _, m := range list {
			configured.Manifests[plugin] = append(configured.Manifests[plugin], hooks.Manifest(m))
		}
	}
	folders, wrong := configured.Folders(of)
	if len(folders) == 0 {
		return before, wrong
	}
	empty, err := view.New(cluster.New(), o.view(), nil)
	if err != nil {
		return nil, err
	}
	static, err := hooks.Load(folders, empty.Types(), before)
	return static, errors.Join(wrong, err)
}

func (p *parts) newServer(o Options) *rest.Server {
	server := &rest.Server{
		Release:    o.Release,
		Chain:      p.hooks.Chain(p.builtIn.Link),
		Resources:  p.view.Resources(),
		Types:      p.view.Types(),
		Authorizer: p.view.Authorizer(),
		Authorizes: o.authorizes(),
		Now:        o.Now,
		NewUID:     o.NewUID,
		Suffix:     p.release.suffix,
		Tokens:     o.Tokens,
		Explain:    o.Explain,

		DefinitionsKept: o.definitionsKept,
		AddressesFreed:  o.addressesFreed,
	}
	if o.conversions != nil {
		server.Conversions, server.Questions = o.conversions.Take, o.authorizations.Take
	}
	return server
}

func (p *parts) newBuiltIn(o Options) (plugins.Set, error) {
	return plugins.NewSet(p.release.plugins, plugins.Options{
		Release:    o.Release,
		Resources:  p.view.Resources(),
		Types:      p.view.Types(),
		Authorizer: p.view.Authorizer(),
		Backends:   o.Backends,
		Send:       rest.OwnRequests(p.at(o), o.added),
		Now:        o.Now,
		Suffix:     p.release.suffix,
	}, o.Plugins.Configuration, o.Plugins.located)
}
