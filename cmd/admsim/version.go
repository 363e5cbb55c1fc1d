package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/pkg/kubeversion"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of admsim, and which Kubernetes it simulates",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			known := kubeversion.Versions()
			_, err := fmt.Fprintf(c.OutOrStdout(), "admsim %s (%s, %s/%s)\nKubernetes %s\n",
				moduleVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH, strings.Join(known, ", "))
			return err
		},
	}
}

// moduleVersion is what the go command stamped into the binary.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
