package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/reference"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/plugins"
)

func newPlugins() *cobra.Command {
	var release string
	var output outputFlags
	c := &cobra.Command{
		Use:   "plugins [NAME]",
		Short: "List the admission plugins, or describe one of them",
		Long: `List the admission plugins of all releases: when they run, which releases have them, and whether they
are on by default in one of the releases. With a name, describe that plugin: what it does, what it looks
at in the cluster, how it is configured, and where admsim is known to differ from it.`,
		Example: `  admsim plugins --kubernetes-version 1.30
  admsim plugins LimitRanger
  admsim plugins EventRateLimit -o yaml`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return plugins.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			of, err := kubeversion.Parse(release)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return output.writeReference(c.OutOrStdout(), reference.Plugins(of))
			}
			one, err := reference.Plugin(args[0], of)
			if err != nil {
				return err
			}
			return output.writeReference(c.OutOrStdout(), one)
		},
	}
	c.Flags().StringVar(&release, "kubernetes-version", kubeversion.Default().Version, "Kubernetes `VERSION` whose chain and defaults are listed")
	output.addOutputs(c, "plugins")
	setCompletions(c, "kubernetes-version", kubeversion.Versions())
	return c
}

// writeReference writes a description of plugins or releases to all outputs.
func (f *outputFlags) writeReference(stdout io.Writer, shown document.Reference) error {
	outputs, err := f.parse(stdout, formats.Text)
	if err != nil {
		return err
	}
	if err := f.ready(); err != nil {
		return err
	}
	return write(outputs, stdout, document.Options{}, func(w io.Writer, format formats.Format, _ document.Options) error {
		return formats.WriteReference(w, format, shown)
	})
}
