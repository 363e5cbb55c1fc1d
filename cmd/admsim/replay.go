package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/recording/callee"
	"github.com/admsim/admsim/internal/replay"
	"github.com/admsim/admsim/internal/replay/answers"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/simulator"
)

const replayUsage = `replay runs requests that were recorded in a cluster again, and compares what admsim answers with what the
cluster did: whether it allowed them, the code and message, the webhooks called and their patches, and the
object as stored.

FILES are audit logs (level Request or RequestResponse) and recordings of admsim record or of any
webhook, plain or compressed, files or folders, or - for standard input. The manifests of -C are the
cluster at the time the recording began. Webhooks that have no backend there, and are not called with
--live, answer as they did when the requests were recorded.

Every request finds the cluster as the recording shows it, not as admsim's answers would have left it, so
one difference does not cause others. The exit code is 0 if everything that ran agrees, 1 if something
differs, 2 if admsim could not run the recording, no request in it, or too few for --min-decided.`

const replayExample = `  admsim replay -C world/ audit.log
  admsim replay -C world/ audit/ --since 2h --namespace 'shop-*' \
    -o text -o jsonl=lines.jsonl
  admsim replay -C world/ audit.log.gz -j 8 \
    --resume replay.checkpoint -o jsonl=lines.jsonl`

type replayCommand struct {
	world      worldFlags
	filter     filterFlags
	output     outputFlags
	stateless  bool
	webhook    string
	workers    int
	lenient    bool
	allowEmpty bool
	minDecided float64
	skipBroken bool
	failBroken bool
	resume     string
	progress   string
	redaction  redactFlags

	flags *pflag.FlagSet // all flags of the command
}

func newReplay() *cobra.Command {
	r := &replayCommand{}
	c := &cobra.Command{
		Use:     "replay [-C PATH]... FILE...",
		Short:   "Run recorded requests again and compare the answers",
		Long:    replayUsage,
		Example: replayExample,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return r.run(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
		Annotations: taking(recordings),
	}
	r.world.add(c)
	r.filter.add(c)
	ofCluster(c, func() { r.redaction.add(c) })
	addReplayOutputs(c, &r.output)
	flags := c.Flags()
	r.flags = flags
	flags.BoolVar(&r.stateless, "stateless", false, "run every request in the cluster of -C plus its own object as it was, instead of in the cluster that the recording shows")
	flags.StringVar(&r.webhook, "reviews-of", "", "`NAME` of the webhook that the reviews were sent to, also CONFIGURATION/NAME (default the one at the address that was recorded, or the only one with rules for the request)")
	whole(flags, &r.workers, "workers", "j", 0, 0, "how many requests to run in parallel (default one for each processor); the results are the same")
	flags.BoolVar(&r.lenient, "allow-differences", false, "exit with code 0 even if something differs")
	addAllowEmpty(c, &r.allowEmpty)
	addMinDecided(c, &r.minDecided)
	flags.BoolVar(&r.skipBroken, "skip-broken", false, "count lines that cannot be read, and continue (the default)")
	flags.BoolVar(&r.failBroken, "fail-broken", false, "stop at the first line that cannot be read")
	flags.StringVar(&r.resume, "resume", "", "`FILE` for the progress of the run: it is written while the run goes on, and if it exists, the run continues from there")
	flags.StringVar(&r.progress, "progress", "auto", "show progress on standard error: auto (on a terminal), always or never")
	setCompletions(c, "progress", []string{"auto", "always", "never"})
	c.MarkFlagsMutuallyExclusive("skip-broken", "fail-broken")
	return c
}

func (r *replayCommand) run(ctx context.Context, paths []string, stdin io.Reader, stdout, stderr io.Writer) error {
	out, err := openReplay(&r.output, stdout)
	if err != nil {
		return err
	}
	if err := r.check(out, paths); err != nil {
		return err
	}
	r.world.unexplained = !hasPage(out.summaries) // an HTML page shows why webhooks were not called
	if r.workers > 0 {
		// A worker stands for a processor: collecting its garbage is part of its work.
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(min(r.workers, runtime.NumCPU())))
	}
	sources, err := recording.Find(paths, r.world.exclude, stdin)
	if err != nil {
		return err
	}
	point := &lines.Checkpoint{Began: time.Now()}
	if r.resume != "" {
		if *point, err = lines.LoadCheckpoint(r.resume, point.Began); err != nil {
			return hinted(err, "remove it to begin again")
		}
	}
	options, world, err := r.options(ctx, point.Began, stdin, stderr)
	if err != nil {
		return err
	}
	defer world.close(stderr)
	r.output.besides = []string{r.resume}
	if err := r.output.ready(recording.Names(sources)...); err != nil {
		return err
	}
	if r.resume != "" {
		if err := point.Continue(r.settings(sources, world)); err != nil {
			return hinted(fmt.Errorf("%s: %w", r.resume, err), "run with the same files and flags, or remove the checkpoint to begin again")
		}
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	return r.replay(ctx, sources, options, point, out, stderr)
}

func (r *replayCommand) check(out *replayOutput, paths []string) error {
	if r.resume == "" {
		return nil
	}
	for _, p := range paths {
		if p == "-" {
			return hinted(errors.New("standard input cannot be read again, as --resume requires"), "write it to a file")
		}
	}
	if out.lines != nil && out.linesPath == "" {
		return hinted(errors.New("--resume cannot go on with lines on standard output"), "write them to a file: -o jsonl=FILE")
	}
	return nil
}

// options loads the world, which the caller has to close.
func (r *replayCommand) options(ctx context.Context, now time.Time, stdin io.Reader, stderr io.Writer) (o replay.Options, w *loaded, err error) {
	if o.Filter, err = r.filter.filter(now); err != nil {
		return o, nil, err
	}
	if o.Redactor, err = r.redaction.redactor(); err != nil {
		return o, nil, err
	}
	r.world.unanswered = answers.Recorded
	if w, err = r.world.load(ctx, nil, r.output.reading(stdin, &r.world), stderr); err != nil {
		return o, nil, err
	}
	o.Simulator = simulator.Options{
		Release:  w.Release,
		Plugins:  r.world.plugins,
		State:    w.Simulator().State(),
		Backends: w.Backends.Backend,
		Explain:  !r.world.unexplained,

		Authorization: r.world.authorization.loaded.Modes,
		Authorizers:   r.world.authorization.loaded.Authorizers,
	}
	if err := r.known(w); err != nil {
		w.close(stderr)
		return o, nil, err
	}
	o.Webhook = r.webhook
	o.Stateless, o.FailBroken = r.stateless, r.failBroken
	if o.Workers = r.workers; o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o, w, nil
}

// known checks that --reviews-of names a webhook of the world.
func (r *replayCommand) known(w *loaded) error {
	if r.webhook == "" {
		return nil
	}
	var names []string
	for _, hook := range callee.In(w.Simulator().WebhookConfigurations()) {
		if hook.Named(r.webhook) {
			return nil
		}
		names = append(names, hook.Name)
	}
	return flagged("--reviews-of "+r.webhook, didyoumean.Unknown("there is no such webhook", r.webhook, names))
}

// replay runs the requests that are left in the sources.
func (r *replayCommand) replay(ctx context.Context, sources []recording.Source, o replay.Options, point *lines.Checkpoint, out *replayOutput, stderr io.Writer) error {
	bar, err := newProgress(stderr, r.progress)
	if err != nil {
		return err
	}
	if err := out.begin(point, r.resume != ""); err != nil {
		return err
	}
	o.After = point.At
	out.prepare(o.Redactor)
	o.Make = func(l *lines.Line, a *lines.Account) (any, error) { return out.make(l, a) }
	o.Progress = bar.moved
	var unmatched []recording.Unmatched
	o.Unmatched = func(u recording.Unmatched) { unmatched = append(unmatched, u) }
	o.Overlap = func(earlier, source string) { printOverlap(stderr, earlier, source) }
	var saved time.Time // zero at first, so that the first checkpoint is early and short runs can be resumed, too
	if !point.Done {
		err = replay.Run(ctx, sources, o, func(l *lines.Line, made any) error {
			if err := r.world.consent.stopped(); err != nil {
				return err
			}
			point.Summary.Add(l)
			at := l.Position()
			point.At = &at
			if err := out.take(made.(replayMade)); err != nil {
				return err
			}
			if r.resume == "" || point.Summary.Total%128 != 0 || time.Since(saved) < time.Second {
				return nil
			}
			defer func() { saved = time.Now() }()
			return r.save(point, out)
		})
		bar.end()
		if err != nil && ctx.Err() != nil {
			return r.interrupted(point, out)
		}
		if err != nil {
			return errors.Join(err, out.abort())
		}
		if err := out.end(lines.EndOf(o.Filter.Shard, point.Summary.Total)); err != nil {
			return err
		}
		point.Done = true
		if err := r.save(point, out); err != nil {
			return err
		}
	}
	if err := out.summary(point.Summary); err != nil {
		return err
	}
	printUnmatched(stderr, unmatched)
	if err := replayBugs(&point.Summary); err != nil {
		return err
	}
	hasWorld := len(r.world.paths) > 0
	if r.filter.shard == "" { // one of many shards may have nothing to do
		if err := nothingRan(&point.Summary, r.allowEmpty, hasWorld); err != nil {
			return err
		}
	}
	printBroken(stderr, &point.Summary)
	printUnknownWorld(stderr, &point.Summary, hasWorld)
	if live := r.world.cluster; !r.world.releaseGiven() && (live == nil || !live.from) {
		printDoubtfulRelease(stderr, &point.Summary, o.Simulator.Release.Version)
	}
	if err := tooFewDecided(&point.Summary, r.minDecided, hasWorld); err != nil {
		return err
	}
	if point.Summary.Outcomes[lines.Differs] > 0 && !r.lenient {
		return errDenied
	}
	return nil
}

// changeable lists the flags that may change when a run is resumed, since they do not affect its results.
var changeable = []string{"workers", "output", "color", "verbose", "allow-differences", "allow-empty", "min-decided", "skip-broken", "fail-broken", "resume", "progress"}

// settings returns what must not change when a run is resumed: the recording, the cluster and all other flags.
func (r *replayCommand) settings(sources []recording.Source, w *loaded) (all []lines.Setting) {
	for _, s := range sources {
		all = append(all, lines.Setting{Name: s.Name, Value: fmt.Sprintf("%d bytes long", s.Size)})
	}
	r.flags.Visit(func(f *pflag.Flag) {
		if value := f.Value.String(); value != f.DefValue && !slices.Contains(changeable, f.Name) {
			all = append(all, lines.Setting{Name: "--" + f.Name, Value: value})
		}
	})
	content := sha256.New()
	for _, o := range w.Bag.Objects {
		content.Write(o.JSON)
	}
	return append(all, lines.Setting{Name: "the content of the cluster", Value: fmt.Sprintf("%x", content.Sum(nil)[:8])})
}

// interrupted saves what is done, so that the run can be resumed.
func (r *replayCommand) interrupted(point *lines.Checkpoint, out *replayOutput) error {
	err := fmt.Errorf("interrupted after %s", words.Plural(point.Summary.Total, "record"))
	if r.resume == "" {
		return errors.Join(hinted(err, "with --resume FILE, a run can continue where it was interrupted"), out.abort())
	}
	return errors.Join(hinted(err, "the same command continues from here"), r.save(point, out))
}

// save writes a checkpoint. The lines up to there are on disk before it is.
func (r *replayCommand) save(point *lines.Checkpoint, out *replayOutput) error {
	if r.resume == "" {
		return nil
	}
	var err error
	if point.Written, err = out.sync(); err != nil {
		return err
	}
	return point.Save(r.resume)
}
