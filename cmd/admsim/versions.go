package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/report"
)

func newVersions() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "versions [VERSION]",
		Short: "List the Kubernetes releases that admsim simulates, with what each changed",
		Long: `List the Kubernetes releases that --kubernetes-version takes, newest first, with what each changed for
admission since the one before it: plugins that came, went, moved or are on by default, features and
feature gates, and the resources that it serves by default.`,
		Example: `  admsim versions
  admsim versions 1.16
  admsim versions 1.22 -o yaml`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(kubeversion.Versions(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, args []string) error {
			format, err := report.ParsePluginFormat(output)
			if err != nil {
				return err
			}
			all, err := report.NewVersions()
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return all.WriteOne(c.OutOrStdout(), format, args[0])
			}
			return all.Write(c.OutOrStdout(), format)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", string(report.Text), fmt.Sprintf("output `FORMAT`: %s, %s or %s", report.Text, report.JSON, report.YAML))
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json", "yaml"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}
