package main

import (
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/world"
)

// worldFlags say what the cluster is.
type worldFlags struct {
	paths          []string
	release        string
	allowUnknown   bool
	allowUnmatched bool
	controllers    bool
	plugins        simulator.Plugins
	configuration  string // the file of it
	variables      bool
}

func (f *worldFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringArrayVarP(&f.paths, "cluster", "C", nil, "manifest `PATH` (file or folder) of what is in the cluster, mocks of webhooks included; repeatable")
	flags.StringVar(&f.release, "kubernetes-version", kubeversion.Default().Version, "Kubernetes `VERSION` to simulate")
	flags.BoolVar(&f.allowUnknown, "allow-unknown", false, "warn of kinds and fields that the cluster does not know, instead of an error")
	flags.StringSliceVar(&f.plugins.Enable, "enable-admission-plugins", nil, "`PLUGINS` that run beside the usual ones, as for kube-apiserver")
	flags.StringSliceVar(&f.plugins.Disable, "disable-admission-plugins", nil, "`PLUGINS` that do not run, as for kube-apiserver")
	flags.StringVar(&f.configuration, "admission-control-config-file", "", "`FILE` with the configuration of admission plugins, as for kube-apiserver")
	flags.BoolVar(&f.controllers, "assume-controllers", true, "have in the cluster what the controllers of a living one would have made, such as default service accounts")
	_ = c.RegisterFlagCompletionFunc("kubernetes-version", cobra.FixedCompletions(kubeversion.Versions(), cobra.ShellCompDirectiveNoFileComp))
	aliases := map[string]string{"kube-version": "kubernetes-version", "operation": "verb", "colour": "color"}
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if full, ok := aliases[name]; ok {
			name = full
		}
		return pflag.NormalizedName(name)
	})
}

// A loaded world is ready for requests; what else its files hold is beside it.
type loaded struct {
	*world.World
	bag      scenario.Bag
	backends *scenario.Backends
}

// load reads the cluster from the paths of the flags and further ones. Warnings go to
// stderr.
func (f *worldFlags) load(further []string, o scenario.Options, stderr io.Writer) (*loaded, error) {
	release, err := kubeversion.Parse(f.release)
	if err != nil {
		return nil, err
	}
	if err := f.configure(release, o); err != nil {
		return nil, err
	}
	manifests, err := scenario.Load(slices.Concat(f.paths, further), o)
	if err != nil {
		return nil, err
	}
	w := &loaded{}
	if w.bag, err = scenario.Sort(manifests, o); err != nil {
		return nil, err
	}
	if w.backends, err = scenario.NewBackends(w.bag.Mocks, expression.New(release)); err != nil {
		return nil, err
	}
	var warnings []*scenario.Error
	w.World, warnings, err = world.New(w.bag.Objects, world.Options{
		Release:       release,
		Plugins:       f.plugins,
		Backends:      f.answering(w.backends),
		Controllers:   f.controllers,
		IgnoreUnknown: f.allowUnknown,
		Variables:     f.variables,
	})
	printWarnings(stderr, warnings)
	return w, err
}

// configure reads the admission configuration for the plugins that run.
func (f *worldFlags) configure(r *kubeversion.Release, o scenario.Options) error {
	if f.configuration == "" {
		return nil
	}
	chain, err := r.Chain(f.plugins.Enable, f.plugins.Disable)
	if err != nil {
		return err
	}
	names := make([]string, len(chain))
	for i, p := range chain {
		names[i] = p.Name
	}
	f.plugins.Configuration, err = scenario.LoadAdmissionConfiguration(f.configuration, names, o)
	return err
}

// answering returns who answers for a webhook: the mocks, and with --allow-unmatched for
// those that have none somebody who allows everything.
func (f *worldFlags) answering(declared *scenario.Backends) func(configuration, webhook string) dispatch.Backend {
	if !f.allowUnmatched {
		return declared.Backend
	}
	return func(configuration, webhook string) dispatch.Backend {
		if declared.Declares(configuration, webhook) {
			return declared.Backend(configuration, webhook)
		}
		return &dispatch.Mock{}
	}
}
