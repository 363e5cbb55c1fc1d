package main

import (
	"context"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/internal/worlds"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// factory returns a factory that builds a loaded world again for each question about it. named are the manifests that
// every world has.
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

// switches returns what flags enable and disable in a release.
func (f *worldFlags) switches() kubeversion.Flags {
	return kubeversion.Flags{FeatureGates: f.gates.on, RuntimeConfig: f.apis.on}
}
