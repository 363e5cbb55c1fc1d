package main

import (
	"context"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/internal/worlds"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// factory makes a loaded world again, for questions about it. named are the manifests that are there
// whatever the question is.
func (f *worldFlags) factory(ctx context.Context, w *loaded, named []scenario.Manifest) *worlds.Factory {
	return worlds.NewFactory(ctx, w.Loaded, worlds.FactoryOptions{
		World: world.Options{
			Plugins: f.plugins, Unexplained: f.unexplained, Controllers: f.controllers, IgnoreUnknown: f.allowUnknown,
			Authorization: f.authorization.loaded,
		},
		Backends: f.backends(),
		Named:    named,
		Pinned:   f.released || f.says("kubernetes-version"),
		Flags:    f.switches(),
		Consent:  f.consent.allowed,
	})
}

// switches are what flags switch on and off in a release.
func (f *worldFlags) switches() kubeversion.Flags {
	return kubeversion.Flags{FeatureGates: f.gates.on, RuntimeConfig: f.apis.on}
}
