package main

import (
	"bufio"
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

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/wholefile"
)

const convertUsage = `audit converts the events of audit logs to the AdmissionReviews that a webhook would have received, in
the format of admsim record: one line of JSON each, which also holds the event, so that admsim replay runs
it just like the log. Events that only show what the cluster held are written, too.

With --to fixtures, it writes the cases of a suite for admsim test instead: a file for each review, a
suite that expects what the cluster answered, and a folder named world with the namespaces, definitions,
policies and other objects that the log shows. All cases that are written pass.

Events that are not requests, or that cannot be written as reviews, are counted by reason on standard error.`

const convertExample = `  admsim convert audit audit.log.gz -o reviews.jsonl
  admsim convert audit audit.log --resource pods --limit 50 \
    --to fixtures -o suite/`

type convertCommand struct {
	filter     filterFlags
	redaction  redactFlags
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
	c.Flags().StringVarP(&v.output, "output", "o", "-", "`FILE` to write to, or - for standard output; with --to fixtures, the folder")
	c.Flags().StringVar(&v.to, "to", "reviews", "what to write: reviews or fixtures")
	c.Flags().BoolVar(&v.failBroken, "fail-broken", false, "stop at the first line that cannot be read")
	completes(c, "to", []string{"reviews", "fixtures"})
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
	sources, err := recording.Find(paths, stdin)
	if err != nil {
		return err
	}
	to, err := v.open(sources, filter, redactor, stdout)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	counts, err := v.all(ctx, sources, filter, to, stderr)
	if err != nil {
		return errors.Join(err, to.close(ctx, nil))
	}
	if err := to.close(ctx, counts); err != nil {
		return err
	}
	counts.print(stderr)
	return counts.bugs.Err()
}

// all writes what is chosen of the sources.
func (v *convertCommand) all(ctx context.Context, sources []recording.Source, filter recording.Filter, to converted, stderr io.Writer) (*conversion, error) {
	counts := &conversion{what: v.to, bugs: bug.Counter{What: "record"}}
	reader, err := recording.NewReader(sources, recording.Options{
		Filter:    filter,
		Ahead:     2,
		Unmatched: func(u recording.Unmatched) { counts.unmatched = append(counts.unmatched, u) },
		Overlap:   func(earlier, source string) { printOverlap(stderr, earlier, source) },
		Broken: func(e *recording.BrokenError) error {
			if counts.bugs.Met(e) {
				return nil
			}
			if v.failBroken {
				return e
			}
			counts.leave(brokenRecord, e.Position)
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for {
		if ctx.Err() != nil {
			return nil, errInterrupted
		}
		r, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return counts, counts.unreadable()
		}
		if err != nil {
			return nil, err
		}
		if err := convertOne(r, to, counts); err != nil && !counts.bugs.Met(err) {
			return nil, err
		}
	}
}

// convertOne writes a record; a bug is its error.
func convertOne(r *recording.Record, to converted, counts *conversion) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s: %w", r.Position, err)
		}
	}()
	defer bug.Catch(&err)
	line, why := recording.LineOf(r)
	return to.add(r, line, why, counts)
}

// conversion counts what was written and, by reason, what was not.
type conversion struct {
	what     string
	written  int
	requests int // without a review
	state    int // events for what they show of the cluster
	left     map[recording.Code]*omitted

	unmatched []recording.Unmatched
	bugs      bug.Counter
}

// omitted are events that were left out for the same reason.
type omitted struct {
	count int
	first recording.Position
}

func (l *conversion) leave(why recording.Code, at recording.Position) {
	if l.left == nil {
		l.left = map[recording.Code]*omitted{}
	}
	if l.left[why] == nil {
		l.left[why] = &omitted{first: at}
	}
	l.left[why].count++
}

// unreadable is the error of a recording of which nothing could be read.
func (l *conversion) unreadable() error {
	if l.written+l.requests+l.state > 0 || len(l.left) != 1 || l.left[brokenRecord] == nil {
		return nil
	}
	return nothingReadable()
}

// brokenRecord is why what cannot be read is left out.
const brokenRecord recording.Code = "broken"

func (l *conversion) print(stderr io.Writer) {
	fmt.Fprintf(stderr, "admsim: %s written\n", counted(l.written, strings.TrimSuffix(l.what, "s")))
	if l.requests > 0 {
		fmt.Fprintf(stderr, "admsim: %s written without a review\n", counted(l.requests, "request"))
	}
	if l.state > 0 {
		fmt.Fprintf(stderr, "admsim: %s written about what the cluster held\n", counted(l.state, "event"))
	}
	for _, code := range sortedKeys(l.left) {
		fmt.Fprintf(stderr, "admsim: %d left out: %s (first %s)\n", l.left[code].count, code, l.left[code].first)
	}
	printUnmatched(stderr, l.unmatched)
}

// converted is where audit events are written to.
type converted interface {
	// add takes the line of a record, which may have no review, with the reason for that, or
	// be nil.
	add(r *recording.Record, l *recording.Line, why recording.Reason, counts *conversion) error
	// close ends the writing; counts is nil where it failed.
	close(ctx context.Context, counts *conversion) error
}

func (v *convertCommand) open(sources []recording.Source, filter recording.Filter, redactor *redact.Redactor, stdout io.Writer) (converted, error) {
	switch v.to {
	case "fixtures":
		if v.output == "-" {
			return nil, hinted(errors.New("fixtures need a folder"), "name it with -o")
		}
		return newFixtures(v.output, redactor)
	case "reviews":
		if v.output == "-" {
			return &reviewLines{w: bufio.NewWriter(jsonDoor(stdout)), redactor: redactor, filter: filter}, nil
		}
		if err := ready([]output{{path: v.output}}, namesOf(sources)); err != nil {
			return nil, err
		}
		f, err := wholefile.Create(v.output, 0o600)
		if err != nil {
			return nil, err
		}
		return &reviewLines{w: bufio.NewWriterSize(f, 256<<10), file: f, redactor: redactor, filter: filter}, nil
	}
	return nil, oneOf("--to", v.to, []string{"reviews", "fixtures"})
}

type reviewLines struct {
	w        *bufio.Writer
	file     *wholefile.File // nil: standard output
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
		counts.leave(why.Code, rec.Position)
		return nil
	}
	text, err := document.ReviewLine(l, r.redactor)
	if err == nil {
		_, err = r.w.Write(text)
	}
	return err
}

func (r *reviewLines) close(_ context.Context, counts *conversion) error {
	err := r.w.Flush()
	switch {
	case r.file == nil:
		return err
	case counts == nil:
		_ = r.file.End(wholefile.ErrUnfinished) // why is known
		return nil
	}
	return r.file.End(err)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
