package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/envtest"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const envtestUsage = `envtest makes a folder with the programs etcd, kube-apiserver and kubectl, for tests that use envtest of
controller-runtime, and prints its path. The programs are admsim under other names, so that the tests run
against a simulated cluster, unmodified and without a download. Set KUBEBUILDER_ASSETS to the folder.

kube-apiserver takes the flags of the real one; kube-apiserver --help says which of them mean something. It
calls the webhooks that its clients configure, at the addresses in their configuration, as the real one
does. kubectl runs the real one on the PATH.

With ADMSIM_LOG set to a file or a folder, kube-apiserver writes what happened to each request.`

const envtestExample = `  export KUBEBUILDER_ASSETS=$(admsim envtest)
  eval $(admsim envtest --kubernetes-version 1.31 -p env)
  KUBEBUILDER_ASSETS=$(admsim envtest) go test ./...`

// Ways to print the folder, with the names that setup-envtest uses.
const (
	printPath = "path"
	printEnv  = "env"
)

func newEnvtest() *cobra.Command {
	release, print := kubeversion.Default().Version, printPath
	c := &cobra.Command{
		Use:     "envtest [DIR]",
		Short:   "Stand in for etcd and kube-apiserver in tests with envtest",
		Long:    envtestUsage,
		Example: envtestExample,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if ways := []string{printPath, printEnv}; print != printPath && print != printEnv {
				return didyoumean.Unknown(fmt.Sprintf("--print: unknown way %q, want one of %s", print, strings.Join(ways, ", ")), print, ways)
			}
			if len(args) > 0 && !c.Flags().Changed("kubernetes-version") {
				release = cmp.Or(envtest.ReleaseIn(args[0]), release)
			}
			r, err := kubeversion.Parse(strings.TrimSuffix(release, ".x"))
			if err != nil {
				return err
			}
			folder, err := envtest.DefaultFolder(r)
			if len(args) > 0 {
				folder = envtest.Folder{Release: r}
				folder.Path, err = filepath.Abs(args[0])
			}
			if err != nil {
				return err
			}
			program, err := os.Executable()
			if err != nil {
				return err
			}
			if err := folder.Make(program); err != nil {
				return err
			}
			text := folder.Path
			if print == printEnv {
				text = "export KUBEBUILDER_ASSETS='" + strings.ReplaceAll(folder.Path, "'", `'\''`) + "'"
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), text)
			return err
		},
	}
	c.Flags().StringVar(&release, "kubernetes-version", release, "Kubernetes `VERSION` to simulate; a folder that is called as setup-envtest calls them, such as 1.34.1-linux-amd64, says it, too")
	c.Flags().StringVarP(&print, "print", "p", print, "`WAY` to print the folder: path, or env for a shell to evaluate")
	setCompletions(c, "kubernetes-version", kubeversion.Versions())
	setCompletions(c, "print", []string{printPath, printEnv})
	return c
}
