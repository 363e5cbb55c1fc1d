package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/pkg/recording"
	"github.com/admsim/admsim/pkg/redact"
	"github.com/admsim/admsim/pkg/report"
)

const convertUsage = `audit writes the events of audit logs as the AdmissionReviews that a webhook would have got, in the
form of admsim record: a line of JSON each, with the event beside it, so that admsim replay runs them as
it runs the log. Events that only show what the cluster held are lines, too. With --to fixtures
it writes them as the cases of a suite for admsim test instead: a file a review, and a suite that
expects of each what the cluster answered. Its folder world has the namespaces, by name only: put the
rest of the cluster there, such as a snapshot.

What is no request, or cannot be written as a review, is counted by reason on standard error.`

const convertExample = `  admsim convert audit audit.log.gz -o reviews.jsonl
  admsim convert audit audit.log --resource pods --limit 50 --to fixtures -o suite/`

type convertCommand struct {
	filter     filterFlags
	redaction  redactFlags
	output     string
	to         string
	failBroken bool
}

func newConvert() *cobra.Command {
	c := &cobra.Command{
		Use:   "convert",
		Short: "Write recordings, and the tests of other tools, in another form",
		Args:  cobra.ArbitraryArgs,
		RunE:  runGroup,
	}
	c.AddCommand(newConvertAudit())
	c.AddCommand(newConvertTests()...)
	return c
}

func newConvertAudit() *cobra.Command {
	v := &convertCommand{}
	c := &cobra.Command{
		Use:     "audit FILE...",
		Short:   "Write audit events as reviews, or as cases of a suite",
		Long:    convertUsage,
		Example: convertExample,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return v.run(args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	v.filter.add(c)
	v.redaction.add(c)
	c.Flags().StringVarP(&v.output, "output", "o", "-", "`FILE` to write to, - is standard output; with --to fixtures the folder")
	c.Flags().StringVar(&v.to, "to", "reviews", "what to write: reviews or fixtures")
	c.Flags().BoolVar(&v.failBroken, "fail-broken", false, "end at the first line that cannot be read")
	_ = c.RegisterFlagCompletionFunc("to", cobra.FixedCompletions([]string{"reviews", "fixtures"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (v *convertCommand) run(paths []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := v.redaction.check(); err != nil {
		return err
	}
	redactor, err := v.redaction.redactor()
	if err != nil {
		return err
	}
	filter, err := v.filter.filter(time.Now())
	if err != nil {
		return err
	}
	to, err := v.open(filter, redactor, stdout)
	if err != nil {
		return err
	}
	counts, err := v.all(paths, stdin, filter, to)
	if err := errors.Join(err, to.close()); err != nil {
		return err
	}
	counts.print(stderr)
	return nil
}

// all writes what is chosen of the sources.
func (v *convertCommand) all(paths []string, stdin io.Reader, filter recording.Filter, to converted) (*conversion, error) {
	sources, err := recording.Find(paths, stdin)
	if err != nil {
		return nil, err
	}
	counts := &conversion{by: map[recording.Code]int{}}
	reader, err := recording.NewReader(sources, recording.Options{Filter: filter, Ahead: 2, Broken: func(e *recording.BrokenError) error {
		if v.failBroken {
			return e
		}
		counts.by["broken"]++
		return nil
	}})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for {
		r, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return counts, nil
		}
		if err != nil {
			return nil, err
		}
		line, why := recording.LineOf(r)
		if err := to.add(r, line, why, counts); err != nil {
			return nil, fmt.Errorf("writing %s: %w", r.Position, err)
		}
	}
}

// conversion counts what was written and, by reason, what was not.
type conversion struct {
	written  int
	requests int // without a review
	state    int // events for what they show of the cluster
	by       map[recording.Code]int
}

func (l *conversion) print(stderr io.Writer) {
	fmt.Fprintf(stderr, "admsim: %d reviews written\n", l.written)
	if l.requests > 0 {
		fmt.Fprintf(stderr, "admsim: %d requests written of which there is no review\n", l.requests)
	}
	if l.state > 0 {
		fmt.Fprintf(stderr, "admsim: %d events written that show what the cluster held\n", l.state)
	}
	for _, code := range sortedKeys(l.by) {
		fmt.Fprintf(stderr, "admsim: %d left out: %s\n", l.by[code], code)
	}
}

// converted is where audit events are written to.
type converted interface {
	// add takes the line of a record, which may have no review, with the reason for that, or
	// be nil.
	add(r *recording.Record, l *recording.Line, why recording.Reason, counts *conversion) error
	close() error
}

func (v *convertCommand) open(filter recording.Filter, redactor *redact.Redactor, stdout io.Writer) (converted, error) {
	switch v.to {
	case "fixtures":
		if v.output == "-" {
			return nil, hinted(errors.New("fixtures need a folder"), "name it with -o")
		}
		if found, err := os.ReadDir(v.output); err == nil && len(found) > 0 {
			return nil, fmt.Errorf("%s is not empty", v.output)
		}
		err := errors.Join(os.MkdirAll(filepath.Join(v.output, "requests"), 0o700), os.MkdirAll(filepath.Join(v.output, "world"), 0o700))
		return &fixtures{folder: v.output, redactor: redactor}, err
	case "reviews":
		if v.output == "-" {
			return &reviewLines{w: bufio.NewWriter(stdout), redactor: redactor, filter: filter}, nil
		}
		f, err := os.OpenFile(v.output, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, err
		}
		return &reviewLines{w: bufio.NewWriterSize(f, 256<<10), file: f, redactor: redactor, filter: filter}, nil
	}
	return nil, fmt.Errorf("--to %q is neither reviews nor fixtures", v.to)
}

type reviewLines struct {
	w        *bufio.Writer
	file     *os.File // nil: standard output
	redactor *redact.Redactor
	filter   recording.Filter
}

func (r *reviewLines) add(rec *recording.Record, l *recording.Line, why recording.Reason, counts *conversion) error {
	switch {
	case why.Code == "":
		counts.written++
	case l != nil && rec.Runs():
		counts.requests++
	case l != nil && r.filter.Sees(rec):
		counts.state++
	default:
		counts.by[why.Code]++
		return nil
	}
	text, err := report.ReviewLine(l, r.redactor)
	if err == nil {
		_, err = r.w.Write(text)
	}
	return err
}

func (r *reviewLines) close() error {
	err := r.w.Flush()
	if r.file != nil {
		err = errors.Join(err, r.file.Close())
	}
	return err
}

// fixtures are a suite in a folder, with a file for each request.
type fixtures struct {
	folder   string
	redactor *redact.Redactor
	suite    report.RecordedSuite
}

func (f *fixtures) add(_ *recording.Record, l *recording.Line, why recording.Reason, counts *conversion) error {
	if why.Code != "" {
		counts.by[why.Code]++
		return nil
	}
	if l.Review.Response == nil {
		return nil // the cluster refused it outside of admission: nothing to expect of a review
	}
	name := f.suite.Add(l)
	text, err := report.ReviewFile(l, f.redactor)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(f.folder, "requests", name+".yaml"), text, 0o600)
}

func (f *fixtures) close() error {
	text, err := f.suite.YAML(strings.TrimSuffix(filepath.Base(f.folder), "/"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(f.folder, "admsim.yaml"), text, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(f.folder, "world", "namespaces.yaml"), f.suite.Namespaces(), 0o600)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
