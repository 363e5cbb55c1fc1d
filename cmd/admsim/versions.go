package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/reference"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func newVersions() *cobra.Command {
	var output outputFlags
	c := &cobra.Command{
		Use:   "versions [VERSION | FROM TO]",
		Short: "List the releases that admsim simulates, and what each changed",
		Long: `List the Kubernetes releases that --kubernetes-version accepts, newest first, and what each changed for
admission: plugins that were added, removed, moved or enabled by default, features and feature gates, and
the resources that it serves by default. With two releases, what changed from the one to the other, in
total: what has come and gone in between is left out. 1.30.. means from 1.30 to the newest release.`,
		Example: `  admsim versions
  admsim versions 1.16
  admsim versions 1.30 1.37
  admsim versions 1.22 -o yaml`,
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: cobra.FixedCompletions(kubeversion.Versions(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				if from, to, ok := strings.Cut(args[0], ".."); ok {
					known := kubeversion.Versions() // newest first
					args = []string{cmp.Or(from, known[len(known)-1]), cmp.Or(to, known[0])}
				}
			}
			switch len(args) {
			case 0:
				all, err := reference.Versions()
				if err != nil {
					return err
				}
				return output.writeReference(c.OutOrStdout(), all)
			case 2:
				one, err := reference.Between(args[0], args[1])
				if err != nil {
					return err
				}
				return output.writeReference(c.OutOrStdout(), one)
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
