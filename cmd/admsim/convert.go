package main

import (
	"cmp"
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
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/suitefile"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const convertUsage = `audit converts the events of audit logs to the AdmissionReviews that a webhook would have received, in
the format of admsim record: one line of JSON each, which also holds the event, so that admsim replay runs
it just like the log. Events that only show what the cluster held are written, too.

With --to fixtures, it writes the cases of a suite for admsim test instead: a file for each review, a
suite that expects what the cluster answered, and a folder named world with the namespaces, definitions,
policies and other objects that the log shows. Objects that it does not show are those of -C, the cluster
at the time the log began: they are copied to world if admission depends on them, except for webhooks and
Secrets. All cases that are written pass. If there are none, or if anything fails, nothing is written.

Events that are not requests, or that cannot be written as reviews, are counted by reason on standard error.`

const convertExample = `  admsim convert audit audit.log.gz -o reviews.jsonl
  admsim convert audit audit.log --resource pods --limit 50 \
    --to fixtures -o suite/
  admsim convert audit audit.log -C cluster/ --to fixtures -o suite/`

type convertCommand struct {
	filter     filterFlags
	redaction  redactFlags
	cluster    []string
	release    string
	output     string
	to         string
	failBroken bool
	allowEmpty bool
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
		Annotations: taking(recordings),
	}
	v.filter.add(c)
	v.redaction.add(c)
	c.Flags().StringArrayVarP(&v.cluster, "cluster", "C", nil, "with --to fixtures, `PATH` of manifests (file, folder, kustomization or Helm chart) of the cluster at the time the log began; repeatable")
	c.Flags().StringVar(&v.release, "kubernetes-version", "", "with --to fixtures, Kubernetes `VERSION` to write into the suite (default "+kubeversion.Default().Version+")")
	c.Flags().StringVarP(&v.output, "output", "o", "-", "`FILE` to write to, or - for standard output; with --to fixtures, the folder")
	c.Flags().StringVar(&v.to, "to", "reviews", "what to write: reviews or fixtures")
	c.Flags().BoolVar(&v.failBroken, "fail-broken", false, "stop at the first line that cannot be read")
	c.Flags().BoolVar(&v.allowEmpty, "allow-empty", false, "accept a recording from which nothing is written")
	setCompletions(c, "kubernetes-version", kubeversion.Versions())
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
	to, err := v.open(sources, filter, redactor, stdin, stdout, stderr)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(ctx, func() { audit.Discard(to) })
	defer stop()
	counts, err := audit.Convert(ctx, sources, to, audit.Options{
		Filter:     filter,
		FailBroken: v.failBroken,
		Overlap:    func(earlier, source string) { printOverlap(stderr, earlier, source) },
	})
	switch {
	case ctx.Err() != nil && err != nil:
		return errInterrupted
	case err != nil:
		return err
	}
	v.print(counts, stderr)
	if err := counts.Bugs.Err(); err != nil || v.allowEmpty || counts.Written+counts.Requests > 0 {
		return err
	}
	return hinted(errors.New("nothing was written"), v.missing(counts)+"--allow-empty accepts that")
}

// missing says what could help if nothing was written.
func (v *convertCommand) missing(l *audit.Summary) string {
	switch {
	case l.Left[recording.PatchedUnknown] != nil || l.Left[recording.OldNeeded] != nil:
		return "a review needs the object before and after the request: admsim replay can run more of them; "
	case l.Left[recording.BodyNotLogged] != nil:
		return "the audit policy has to log level Request or RequestResponse; "
	}
	return ""
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
		fmt.Fprintf(stderr, "admsim: %d left out: %s (first %s)\n", l.Left[code].Count, words.Join(string(code), audit.Meaning(code)), l.Left[code].First)
	}
	printUnmatched(stderr, l.Unmatched)
}

func (v *convertCommand) open(sources []recording.Source, filter recording.Filter, redactor *redact.Redactor, stdin io.Reader, stdout, stderr io.Writer) (audit.Writer, error) {
	switch v.to {
	case "fixtures":
		return v.fixtures(redactor, stdin, stderr)
	case "reviews":
		return v.reviews(sources, filter, redactor, stdout)
	}
	return nil, oneOf("--to", v.to, []string{"reviews", "fixtures"})
}

func (v *convertCommand) reviews(sources []recording.Source, filter recording.Filter, redactor *redact.Redactor, stdout io.Writer) (audit.Writer, error) {
	switch {
	case len(v.cluster) > 0:
		return nil, hinted(errors.New("-C needs --to fixtures"), "reviews only hold what is in the log; admsim replay -C runs them in a cluster")
	case v.release != "":
		return nil, hinted(errors.New("--kubernetes-version needs --to fixtures"), "reviews do not depend on a release; admsim replay --kubernetes-version runs them in one")
	case v.output == "-":
		return audit.NewReviews(jsonWriter(stdout), filter, redactor), nil
	}
	if err := ready([]output{{path: v.output}}, recording.Names(sources)); err != nil {
		return nil, err
	}
	return audit.CreateReviews(v.output, filter, redactor)
}

func (v *convertCommand) fixtures(redactor *redact.Redactor, stdin io.Reader, stderr io.Writer) (audit.Writer, error) {
	if v.output == "-" {
		return nil, hinted(errors.New("fixtures need a folder"), "name it with -o")
	}
	o := audit.FixtureOptions{Redactor: redactor, Run: runWritten}
	if v.release != "" {
		release, err := kubeversion.Parse(v.release)
		if err != nil {
			return nil, err
		}
		o.Release = release
	}
	found, err := loadObjects(v.cluster, reading(stdin, nil), stderr)
	bag, unsorted := scenario.Sort(found, reading(stdin, nil))
	if err := joinSorted(err, unsorted); err != nil {
		return nil, err
	}
	leaveOutUndefined(&bag, cmp.Or(o.Release, kubeversion.Default()), stderr)
	o.Held = bag.Objects
	to, warnings, err := audit.NewFixtures(v.output, o)
	printWarnings(stderr, warnings)
	return to, err
}

// runWritten runs the suite that was written to a folder, as admsim test does.
func runWritten(ctx context.Context, folder string) (*outcome.Results, error) {
	files, err := suitefile.Find([]string{folder}, nil)
	if err != nil {
		return nil, err
	}
	return suite.Run(ctx, files.Load(reading(nil, nil)), suite.Options{User: admission.Administrator()}), nil
}
