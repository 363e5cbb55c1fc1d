package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/objects"
	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/simulator"
)

// worldFlags say what the cluster is.
type worldFlags struct {
	paths          []string
	release        string
	allowUnknown   bool
	allowUnmatched bool
	plugins        simulator.Plugins
}

func (f *worldFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringArrayVarP(&f.paths, "cluster", "C", nil, "manifest `PATH` (file or folder) of what is in the cluster, mocks of webhooks included; repeatable")
	flags.StringVar(&f.release, "kubernetes-version", kubeversion.Default().Version, "Kubernetes `VERSION` to simulate")
	flags.BoolVar(&f.allowUnknown, "allow-unknown", false, "warn of kinds and fields that the cluster does not know, instead of an error")
	flags.StringSliceVar(&f.plugins.Enable, "enable-admission-plugins", nil, "`PLUGINS` that run beside the usual ones, as for kube-apiserver")
	flags.StringSliceVar(&f.plugins.Disable, "disable-admission-plugins", nil, "`PLUGINS` that do not run, as for kube-apiserver")
	_ = c.RegisterFlagCompletionFunc("kubernetes-version", cobra.FixedCompletions(kubeversion.Versions(), cobra.ShellCompDirectiveNoFileComp))
	aliases := map[string]string{"kube-version": "kubernetes-version", "operation": "verb", "colour": "color"}
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if full, ok := aliases[name]; ok {
			name = full
		}
		return pflag.NormalizedName(name)
	})
}

// A world is a cluster and who answers for its webhooks, ready for requests.
type world struct {
	bag      scenario.Bag
	sim      *simulator.Simulator
	backends *scenario.Backends
	reading  scenario.ClusterOptions
}

// start is the moment at which the simulated clock stands; nothing depends on it but
// timestamps.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// load reads the cluster from the paths of the flags and further ones. Warnings go to
// stderr.
func (f *worldFlags) load(further []string, o scenario.Options, stderr io.Writer) (*world, error) {
	release, err := kubeversion.Parse(f.release)
	if err != nil {
		return nil, err
	}
	manifests, err := scenario.Load(slices.Concat(f.paths, further), o)
	if err != nil {
		return nil, err
	}
	w := &world{}
	if w.bag, err = scenario.Sort(manifests, o); err != nil {
		return nil, err
	}
	if w.backends, err = scenario.NewBackends(w.bag.Mocks, expression.New(release)); err != nil {
		return nil, err
	}
	newUID := simulator.CountUIDs()
	if w.sim, err = simulator.New(simulator.Options{
		Release:  release,
		State:    simulator.Bootstrap(),
		Plugins:  f.plugins,
		Backends: f.backends(w),
		Explain:  true,
		Now:      func() time.Time { return start },
		NewUID:   newUID,
	}); err != nil {
		return nil, err
	}
	return w, w.fill(f, newUID, stderr)
}

// fill puts the objects into the cluster. What the server makes for itself is there before
// them.
func (w *world) fill(f *worldFlags, newUID func() types.UID, stderr io.Writer) error {
	w.reading = scenario.ClusterOptions{
		Served: func(s *cluster.State) (*discovery.Resources, *objects.Types, error) {
			sim, err := w.sim.With(s)
			if err != nil {
				return nil, nil, err
			}
			return sim.Resources(), sim.Types(), nil
		},
		Now:           func() time.Time { return start },
		NewUID:        newUID,
		IgnoreUnknown: f.allowUnknown,
		Base:          w.sim.State(),
	}
	state, warnings, err := scenario.Cluster(w.bag.Objects, w.reading)
	printWarnings(stderr, warnings)
	if err != nil {
		return err
	}
	if w.sim, err = w.sim.With(simulator.AssumeControllers(state)); err != nil {
		return fmt.Errorf("the cluster: %w", err)
	}
	return nil
}

// backends returns who answers for a webhook: the mocks, and with --allow-unmatched for
// those that have none somebody who allows everything.
func (f *worldFlags) backends(w *world) func(configuration, webhook string) dispatch.Backend {
	if !f.allowUnmatched {
		return w.backends.Backend
	}
	return func(configuration, webhook string) dispatch.Backend {
		if w.backends.Declares(configuration, webhook) {
			return w.backends.Backend(configuration, webhook)
		}
		return &dispatch.Mock{}
	}
}
