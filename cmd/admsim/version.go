package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/pkg/kubeversion"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of admsim and of the Kubernetes it simulates",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return printVersion(c.OutOrStdout()) },
	}
}

func printVersion(stdout io.Writer) error {
	known := kubeversion.Versions()
	_, err := fmt.Fprintf(stdout, "admsim %s (%s, %s/%s)\nKubernetes %s to %s, see admsim versions\n",
		moduleVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH, known[len(known)-1], known[0])
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// moduleVersion is what the go command stamped into the binary.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
