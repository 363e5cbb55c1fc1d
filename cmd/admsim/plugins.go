package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/plugins"
	"github.com/admsim/admsim/pkg/report"
)

func newPlugins() *cobra.Command {
	var release, output string
	c := &cobra.Command{
		Use:   "plugins [NAME]",
		Short: "List the admission plugins, or say what one of them does",
		Long: `List the admission plugins of all releases: when they are asked, which releases have them, and
whether they are on by default in one of them. With a name, say what that one does, what of the
cluster it looks at, how it is configured, and where admsim is known to differ from it.`,
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
			format, err := report.ParsePluginFormat(output)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return report.NewPlugins(of).WriteOne(c.OutOrStdout(), format, args[0])
			}
			return report.NewPlugins(of).Write(c.OutOrStdout(), format)
		},
	}
	c.Flags().StringVar(&release, "kubernetes-version", kubeversion.Default().Version, "Kubernetes `VERSION` whose chain and defaults are listed")
	c.Flags().StringVarP(&output, "output", "o", string(report.Text), fmt.Sprintf("output `FORMAT`: %s, %s or %s", report.Text, report.JSON, report.YAML))
	_ = c.RegisterFlagCompletionFunc("kubernetes-version", cobra.FixedCompletions(kubeversion.Versions(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json", "yaml"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}
