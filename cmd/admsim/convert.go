package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/convert/audit"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite"
	"github.com/admsim/admsim/internal/suitefile"
	"github.com/admsim/admsim/pkg/admission"
)

const convertUsage = `audit converts the events of audit logs to the AdmissionReviews that a webhook would have received, in
the format of admsim record: one line of JSON each, which also holds the event, so that admsim replay runs
it just like the log. Events that only show what the cluster held are written, too.

With --to fixtures, it writes the cases of a suite for admsim test instead: a file for each review, a
suite that expects what the cluster answered, and a folder named world with the namespaces, definitions,
policies and other objects that the log shows. Objects that it does not show are those of -C, the cluster
at the time the log began: they are copied to world if admission depends on them, except for webhooks and
Secrets. All cases that are written pass.

Events that are not requests, or that cannot be written as reviews, are counted by reason on standard error.`

const convertExample = `  admsim convert audit audit.log.gz -o reviews.jsonl
  admsim convert audit audit.log --resource pods --limit 50 \
    --to fixtures -o suite/
  admsim convert audit audit.log -C cluster/ --to fixtures -o suite/`

type convertCommand struct {
	filter     filterFlags
	redaction  redactFlags
	cluster    []string
	output     string
	to         string
	failBroken bool
}

func newConvert() *cobra.Command {
	return newGroup("convert", "Convert recordings, and the tests of other tools", append(newConvertTests(), newConvertAudit())...)
}

func newConvertAudit() *cobra.Command {
	v := &convertCommand{}
	c := &cobra.Command{
		Use:     "audit FILE...",
		Short:   "Convert audit events to reviews, or to cases of a suite",
		Long:    convertUsage,
		Example: convertExample,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return v.run(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	v.filter.add(c)
	v.redaction.add(c)
	c.Flags().StringArrayVarP(&v.cluster, "cluster", "C", nil, "with --to fixtures, `PATH` of manifests (file, folder, kustomization or Helm chart) of the cluster at the time the log began; repeatable")
	c.Flags().StringVarP(&v.output, "output", "o", "-", "`FILE` to write to, or - for standard output; with --to fixtures, the folder")
	c.Flags().StringVar(&v.to, "to", "reviews", "what to write: reviews or fixtures")
	c.Flags().BoolVar(&v.failBroken, "fail-broken", false, "stop at the first line that cannot be read")
	setCompletions(c, "to", []string{"reviews", "fixtures"})
	return c
}

func (v *convertCommand) run(ctx context.Context, paths []string, stdin io.Reader, stdout, stderr io.Writer) error {
	redactor, err := v.redaction.redactor()
	if err != nil {
		return err
	}
	filter, err := v.filter.filter(time.Now())
	if err != nil {
		return err
	}
	sources, err := recording.Find(paths, nil, stdin)
	if err != nil {
		return err
	}
	held, err := v.held(stdin, stderr)
	if err != nil {
		return err
	}
	to, err := v.open(sources, filter, redactor, stdout)
	if err != nil {
		return err
	}
	if fixtures, ok := to.(*audit.Fixtures); ok {
		fixtures.Hold(held)
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	counts, err := audit.Convert(ctx, sources, to, audit.Options{
		Filter:     filter,
		FailBroken: v.failBroken,
		Overlap:    func(earlier, source string) { printOverlap(stderr, earlier, source) },
	})
	if fixtures, ok := to.(*audit.Fixtures); ok && err == nil && counts.Written > 0 {
		err = keepPassing(ctx, v.output, fixtures, counts)
	}
	switch {
	case ctx.Err() != nil && err != nil:
		return errInterrupted
	case err != nil:
		return err
	}
	v.print(counts, stderr)
	return counts.Bugs.Err()
}

// held returns the objects of the cluster when the log began.
func (v *convertCommand) held(stdin io.Reader, stderr io.Writer) ([]scenario.Manifest, error) {
	switch {
	case len(v.cluster) == 0:
		return nil, nil
	case v.to == "reviews":
		return nil, hinted(errors.New("-C needs --to fixtures"), "reviews only hold what is in the log; admsim replay -C runs them in a cluster")
	}
	found, err := loadObjects(v.cluster, reading(stdin, nil), stderr)
	if err != nil {
		return nil, err
	}
	bag, err := scenario.Sort(found, reading(stdin, nil))
	return bag.Objects, err
}

// keepPassing runs the suite that was written to a folder, as admsim test does, and leaves out the cases that fail.
func keepPassing(ctx context.Context, folder string, written *audit.Fixtures, counts *audit.Summary) error {
	files, err := suitefile.Find([]string{folder}, nil)
	if err != nil {
		return err
	}
	results := suite.Run(ctx, files.Load(reading(nil, nil)), suite.Options{User: admission.Administrator()})
	return written.Keep(results, counts)
}

func (v *convertCommand) print(l *audit.Summary, stderr io.Writer) {
	fmt.Fprintf(stderr, "admsim: %s written\n", words.Plural(l.Written, strings.TrimSuffix(v.to, "s")))
	if l.Requests > 0 {
		fmt.Fprintf(stderr, "admsim: %s written without a review\n", words.Plural(l.Requests, "request"))
	}
	if l.State > 0 {
		fmt.Fprintf(stderr, "admsim: %s written about what the cluster held\n", words.Plural(l.State, "event"))
	}
	for _, code := range slices.Sorted(maps.Keys(l.Left)) {
		fmt.Fprintf(stderr, "admsim: %d left out: %s (first %s)\n", l.Left[code].Count, code, l.Left[code].First)
	}
	printUnmatched(stderr, l.Unmatched)
}

func (v *convertCommand) open(sources []recording.Source, filter recording.Filter, redactor *redact.Redactor, stdout io.Writer) (audit.Writer, error) {
	switch v.to {
	case "fixtures":
		if v.output == "-" {
			return nil, hinted(errors.New("fixtures need a folder"), "name it with -o")
		}
		return audit.NewFixtures(v.output, redactor)
	case "reviews":
		if v.output == "-" {
			return audit.NewReviews(jsonWriter(stdout), filter, redactor), nil
		}
		if err := ready([]output{{path: v.output}}, recording.Names(sources)); err != nil {
			return nil, err
		}
		return audit.CreateReviews(v.output, filter, redactor)
	}
	return nil, oneOf("--to", v.to, []string{"reviews", "fixtures"})
}
