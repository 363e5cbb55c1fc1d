package main

import (
	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/reference"
)

func newVersion() *cobra.Command {
	var output outputFlags
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of admsim and of the Kubernetes it simulates",
		Long: `Print the version of admsim, and the Kubernetes releases that it simulates. As -o json and -o yaml, also the
commit that it was built from, the versions of files that it reads, and its libraries.`,
		Example: `  admsim version
  admsim version -o json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return output.writeReference(c.OutOrStdout(), reference.Build())
		},
	}
	output.addOutputs(c, "version")
	return c
}
