package main

import (
	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/reference"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func newVersions() *cobra.Command {
	var output outputFlags
	c := &cobra.Command{
		Use:   "versions [VERSION]",
		Short: "List the releases that admsim simulates, and what each changed",
		Long: `List the Kubernetes releases that --kubernetes-version accepts, newest first, and what each changed for
admission: plugins that were added, removed, moved or enabled by default, features and feature gates, and
the resources that it serves by default.`,
		Example: `  admsim versions
  admsim versions 1.16
  admsim versions 1.22 -o yaml`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(kubeversion.Versions(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				all, err := reference.Versions()
				if err != nil {
					return err
				}
				return output.writeReference(c.OutOrStdout(), all)
			}
			one, err := reference.Version(args[0])
			if err != nil {
				return err
			}
			return output.writeReference(c.OutOrStdout(), one)
		},
	}
	output.addOutputs(c, "versions")
	return c
}
