package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/snapshot"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// clusterFlags are the flags that say which running cluster the world is copied from.
type clusterFlags struct {
	from       bool
	kubeconfig string
	context    string

	copied *clusterCopy // set once it was read: two worlds may be made from it
}

// A clusterCopy is what admission depends on in a running cluster.
type clusterCopy struct {
	name      string // of the context
	namespace string // the namespace of the context
	release   string
	manifests []scenario.Manifest
}

// addFrom adds the flag that copies a running cluster.
func (f *clusterFlags) addFrom(c *cobra.Command) {
	c.Flags().BoolVar(&f.from, "from-cluster", false, "copy what admission depends on from a running cluster, as admsim snapshot does; what -C names is added to it, or takes the place of what has the same name")
}

// addKubeconfig and addContext add the flags that say which cluster it is.
func (f *clusterFlags) addKubeconfig(c *cobra.Command) {
	c.Flags().StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig `FILE` of the cluster (default that of kubectl)")
}

func (f *clusterFlags) addContext(c *cobra.Command) {
	c.Flags().StringVar(&f.context, "context", "", "`NAME` of the context in the kubeconfig (default the current one)")
}

// connect finds the cluster. hint says what to do if no cluster is named.
func (f *clusterFlags) connect(hint string, stderr io.Writer) (*snapshot.Cluster, error) {
	c, err := snapshot.Connect(f.kubeconfig, f.context)
	if errors.Is(err, snapshot.ErrNoCluster) {
		return nil, hinted(err, hint)
	}
	if err != nil {
		return nil, err
	}
	c.Warn = func(text string) { printWarning(stderr, text, "") }
	return c, nil
}

// copy reads the cluster, once. It returns nil if --from-cluster is not given.
func (f *clusterFlags) copy(ctx context.Context, stderr io.Writer) (*clusterCopy, error) {
	if !f.from {
		if f.kubeconfig+f.context != "" {
			return nil, hinted(errors.New("--kubeconfig and --context name a cluster that is not read"), "add --from-cluster")
		}
		return nil, nil
	}
	if f.copied != nil {
		return f.copied, nil
	}
	c, err := f.connect("name one with --kubeconfig, or manifests with -C", stderr)
	if err != nil {
		return nil, err
	}
	made := &clusterCopy{name: c.Name, namespace: c.Namespace}
	version, err := c.Version(ctx)
	if err != nil {
		return nil, err
	}
	if made.manifests, err = c.Manifests(ctx); err != nil {
		return nil, err
	}
	release, unknown := kubeversion.Parse(version)
	if unknown != nil {
		release = kubeversion.Default()
		printWarning(stderr, fmt.Sprintf("the cluster runs Kubernetes %s, but %s is simulated: %v", version, release.Version, unknown), "choose a release with --kubernetes-version")
	}
	made.release = release.Version
	f.copied = made
	return made, nil
}

// title returns the name of the cluster in reports.
func (c *clusterCopy) title() string {
	if c.name == "" {
		return "the cluster"
	}
	return "cluster " + c.name
}

// Names under which kubectl finds admsim on the PATH: the plugin, and the program that completes its arguments.
const (
	pluginProgram     = "kubectl-admsim"
	completionProgram = "kubectl_complete-admsim"
	pluginName        = "kubectl admsim"
)

// An invocation is how admsim was started: under its own name, or by kubectl.
type invocation struct{ plugin bool }

// calledAs returns how admsim was started, judged by the name of the program, and the arguments to run it with.
func calledAs(program string, args []string) (invocation, []string) {
	switch strings.TrimSuffix(filepath.Base(program), ".exe") {
	case pluginProgram:
		return invocation{plugin: true}, args
	case completionProgram:
		return invocation{plugin: true}, append([]string{cobra.ShellCompRequestCmd}, args...)
	}
	return invocation{}, args
}

// prepare makes the commands of the kubectl plugin use the cluster that kubectl would use.
func (w invocation) prepare(c *cobra.Command) error {
	from := c.Flags().Lookup("from-cluster")
	if !w.plugin || from == nil || from.Changed {
		return nil
	}
	return from.Value.Set("true")
}
