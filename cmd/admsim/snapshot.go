package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/snapshot"
)

const snapshotUsage = `snapshot copies what admission depends on from a cluster into a folder, which other commands read with -C:
webhook configurations, policies with bindings and params, namespaces, CRDs, quotas, limit ranges,
classes, roles, service accounts, and the services of webhooks. It only reads, and it never reads
Secrets. It warns about everything that the user is not permitted to read.

With --from, it makes the folder from the output of "kubectl get ... -o yaml" instead.`

const snapshotExample = `  admsim snapshot -o world/
  admsim snapshot --print-rbac | kubectl apply -f -
  kubectl get ns,crd,mutatingwebhookconfigurations -o yaml | \
    admsim snapshot --from - -o world/`

type snapshotCommand struct {
	output    string
	only      []string
	cluster   clusterFlags
	from      []string
	pageSize  int
	printRBAC bool
	redaction redactFlags
}

func newSnapshot() *cobra.Command {
	s := &snapshotCommand{}
	c := &cobra.Command{
		Use:     "snapshot -o FOLDER",
		Short:   "Copy what admission depends on from a cluster to a folder",
		Long:    snapshotUsage,
		Example: snapshotExample,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return s.run(c.Context(), c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	flags := c.Flags()
	flags.StringVarP(&s.output, "output", "o", "", "`FOLDER` to write to, which must be empty or not exist")
	flags.StringSliceVarP(&s.only, "namespace", "n", nil, "copy cluster-scoped objects, and of all others only those in these `NAMESPACES`; what webhooks need in other namespaces is then missing")
	s.cluster.addKubeconfig(c)
	s.cluster.addContext(c)
	flags.StringArrayVar(&s.from, "from", nil, "`PATH` of manifests to read instead of a cluster, or - for standard input; repeatable")
	whole(flags, &s.pageSize, "page-size", "", 1, 500, "how many objects to request at once")
	flags.BoolVar(&s.printRBAC, "print-rbac", false, "print the ClusterRole that a snapshot needs, and exit")
	s.redaction.add(c)
	c.MarkFlagsMutuallyExclusive("from", "kubeconfig")
	c.MarkFlagsMutuallyExclusive("from", "context")
	return c
}

func (s *snapshotCommand) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if s.printRBAC {
		_, err := io.WriteString(stdout, snapshot.RBAC())
		return err
	}
	if s.output == "" {
		return hinted(errors.New("there is no folder to write to"), "name it with -o")
	}
	redactor, err := s.redaction.redactor()
	if err != nil {
		return err
	}
	folder, err := snapshot.NewFolder(s.output, s.only, redactor)
	if err != nil {
		return err
	}
	if len(s.from) > 0 {
		err = s.read(folder, stdin, stderr)
	} else {
		err = s.connect(ctx, folder, stderr)
	}
	if err == nil {
		printWarnings(stderr, folder.NotFound())
		fmt.Fprintf(stderr, "admsim: %s in %s\n", words.Plural(folder.Count(), "object"), s.output)
	}
	return err
}

func (s *snapshotCommand) connect(ctx context.Context, folder *snapshot.Folder, stderr io.Writer) error {
	c, err := s.cluster.connect("name one with --kubeconfig, or read manifests with --from", stderr)
	if err != nil {
		return err
	}
	c.PageSize = s.pageSize
	if err := c.Read(ctx, folder.Write); err != nil {
		return err
	}
	version, err := c.Version(ctx)
	if err != nil {
		printWarning(stderr, err.Error(), "")
		return nil
	}
	fmt.Fprintf(stderr, "admsim: the cluster runs Kubernetes %s, which its manifests do not say: simulate it with --kubernetes-version %s\n", version, version)
	return nil
}

func (s *snapshotCommand) read(folder *snapshot.Folder, stdin io.Reader, stderr io.Writer) error {
	manifests, err := loadObjects(s.from, reading(stdin, nil), stderr)
	if err != nil {
		return err
	}
	manifests, forms := snapshot.Objects(manifests)
	printWarnings(stderr, forms)
	if len(manifests) == 0 {
		return hinted(fmt.Errorf("there is no object of a cluster in %s", strings.Join(s.from, ", ")), "kubectl get KIND -A -o yaml writes some")
	}
	undefined, err := folder.Add(manifests)
	printWarnings(stderr, undefined)
	return err
}
