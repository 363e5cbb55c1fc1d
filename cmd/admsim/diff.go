package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/corpus"
	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/gitfiles"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/internal/report/pages"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/changes"
	"github.com/admsim/admsim/internal/whatif/diff"
	"github.com/admsim/admsim/internal/wholefile"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/dispatch"
)

const diffUsage = `diff runs the same requests in two worlds, and shows what changes: requests that are newly denied or
newly allowed, objects that come out differently (field by field), messages, warnings, calls of webhooks,
and how long they would take. Similar changes are shown once, with exact counts by user, namespace and
kind, and with samples.

Both worlds have what -C names. --base and --head add to it, or replace what has the same name. With
--since main, base is what -C names as it is on that branch, or in any other revision of git. Or the
worlds are the same files in two releases of Kubernetes. The corpus is manifests, documents of kind
Request, AdmissionReviews, suites, and recordings: files named .jsonl, .ndjson or .log, from admsim
record or from an audit log, compressed or not.

Requests written by hand find the cluster as the requests before them left it. Recorded requests find
the cluster as it was loaded, with their own object as it was when they were recorded. Each case of a
suite runs in the cluster that its suite sets up; the suite's webhooks and policies are only used if -C
and --base name none.

With --all there is no corpus: the answer holds for every possible request. It names the requests that
each webhook and policy is newly asked about and no longer asked about, with one request as an example of
each, or proves that there are none.

With --equivalent, the question is whether both worlds decide the same, as when a policy is to replace a
webhook. What is the same in both is left out. Whether the rest is asked about the same requests is
proved. Whether it decides the same is tested with requests at the edges of what its expressions
compare, with each field of the kinds it is asked about, and with those of a corpus, if there is one. The
first request that is decided differently is shown, in the form that run takes.`

const diffExample = `  admsim diff --base main/ --head branch/ requests/
  admsim diff -C world/ --since origin/main requests/
  admsim diff --base main/ --head branch/ --all
  admsim diff --head new-policy.yaml tests/...
  admsim diff --base webhook.yaml --head policy.yaml --equivalent
  admsim diff -C world/ --base policy-v1.yaml --head policy-v2.yaml \
    audit.log.gz -j 8
  admsim diff -C world/ --base-kubernetes-version 1.30 \
    --head-kubernetes-version 1.37 requests/ --exit-code`

type diffCommand struct {
	world                    worldFlags
	output                   outputFlags
	requests                 requestFlags
	base, head               []string
	since                    string
	baseRelease, headRelease string
	baseEnable, headEnable   []string
	baseDisable, headDisable []string
	jobs, samples            int
	tolerance                time.Duration
	exitCode                 bool
	secrets                  redactFlags
	survey                   surveyFlags
	equivalent, messages     bool
}

func newDiff() *cobra.Command {
	d := &diffCommand{}
	c := &cobra.Command{
		Use:     "diff [-C PATH]... [--base PATH]... [--head PATH]... CORPUS...",
		Short:   "Show what changes for requests between two worlds",
		Long:    diffUsage,
		Example: diffExample,
		RunE: func(c *cobra.Command, args []string) error {
			return d.run(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
		Annotations: taking(twoWorlds),
	}
	d.world.add(c)
	d.world.addCluster(c, &d.requests)
	ofCluster(c, func() { d.secrets.add(c) })
	addWhatifOutput(c, &d.output)
	addAsking(c, &d.requests, &d.jobs)
	flags := c.Flags()
	flags.StringArrayVar(&d.base, "base", nil, "`PATH` of manifests of the current world; repeatable")
	flags.StringVar(&d.since, "since", "", "`REVISION` of git, such as main: base is what -C names at that revision, head what it names in the checkout")
	flags.StringArrayVar(&d.head, "head", nil, "`PATH` of manifests of the proposed world; repeatable")
	flags.StringVar(&d.baseRelease, "base-kubernetes-version", "", "Kubernetes `VERSION` of base (default that of --kubernetes-version)")
	flags.StringVar(&d.headRelease, "head-kubernetes-version", "", "Kubernetes `VERSION` of head (default that of --kubernetes-version)")
	flags.StringSliceVar(&d.baseEnable, "base-enable-admission-plugins", nil, "additional `PLUGINS` to run in base")
	flags.StringSliceVar(&d.headEnable, "head-enable-admission-plugins", nil, "additional `PLUGINS` to run in head")
	flags.StringSliceVar(&d.baseDisable, "base-disable-admission-plugins", nil, "additional `PLUGINS` not to run in base")
	flags.StringSliceVar(&d.headDisable, "head-disable-admission-plugins", nil, "additional `PLUGINS` not to run in head")
	whole(flags, &d.samples, "samples", "", 0, 3, "how many requests to name for similar changes")
	flags.DurationVar(&d.tolerance, "latency-tolerance", 10*time.Millisecond, "smallest difference in latency to report; the time that real webhooks take is only counted if this is given")
	flags.BoolVar(&d.exitCode, "exit-code", false, "exit with code 1 if anything changes; with --equivalent, unless they are; with --all, if webhooks or policies are asked about other requests, or a failurePolicy changes")
	d.survey.add(c, "instead of using a corpus, show for all possible requests which ones webhooks and policies are asked about")
	flags.BoolVar(&d.equivalent, "equivalent", false, "whether both worlds decide the same, such as a webhook and the policy that is to replace it; the corpus may be left out")
	flags.BoolVar(&d.messages, "messages", false, "with --equivalent: compare what denials and warnings say, too")
	c.MarkFlagsMutuallyExclusive("all", "equivalent")
	d.world.addUnmatched(c)
	return c
}

func (d *diffCommand) run(ctx context.Context, paths []string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	if d.since == "" && len(d.base)+len(d.head) == 0 && d.baseRelease == d.headRelease && len(d.baseEnable)+len(d.headEnable)+len(d.baseDisable)+len(d.headDisable) == 0 {
		return hinted(errors.New("both worlds are the same"), "say what differs: --base PATH and --head PATH, --since REVISION, or --base-kubernetes-version and --head-kubernetes-version")
	}
	commit, err := d.commit(ctx)
	if err != nil {
		return err
	}
	if err := d.survey.check(paths); err != nil {
		return err
	}
	options := d.output.reading(stdin, &d.world)
	if d.survey.all {
		return d.runAll(ctx, commit, options, stdout, stderr)
	}
	in, err := corpus.Find(paths, options)
	if err != nil {
		return err
	}
	if err := d.checkEmpty(in); err != nil {
		return err
	}
	if d.equivalent {
		return d.runEquivalent(ctx, commit, in, len(paths) > 0, options, stdout, stderr)
	}
	outputs, err := d.output.parse(stdout, formats.Text)
	if err != nil {
		return err
	}
	d.world.unmeasured = !d.world.says("latency-tolerance") // even identical worlds never take the same time
	d.world.unexplained = !hasPage(outputs)                 // an HTML page shows why webhooks were not called
	base, head, closeBoth, err := d.load(ctx, commit, in, options, stderr)
	if err != nil {
		return err
	}
	defer closeBoth()
	// What is not named for base is the same in both worlds, and so are the requests of suites.
	named := base
	if commit != nil {
		named = head
	}
	corpus, end, err := openCorpus(in, named.Bag.Requests, &d.requests, head.Simulator(), options, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if err := d.output.ready(); err != nil {
		return err
	}
	before, after := base.flags.factory(ctx, base.loaded, named.Bag.Objects), head.flags.factory(ctx, head.loaded, named.Bag.Objects)
	defer before.Close()
	defer after.Close()
	ctx, stop := interruptible(ctx)
	defer stop()
	base.make, head.make = before.Make, after.Make
	return d.compare(ctx, base, head, corpus, outputs, stdout)
}

// A side is one of the two worlds being compared.
type side struct {
	*loaded
	flags *worldFlags
	name  string      // in reports
	make  world.Maker // makes the world for a request
}

// load loads both worlds, which the caller has to close.
func (d *diffCommand) load(ctx context.Context, commit *gitfiles.Files, in corpus.Input, options scenario.Options, stderr io.Writer) (base, head side, closeBoth func(), err error) {
	if d.baseRelease != d.headRelease && len(in.Cases) == 0 { // suites may name releases of their own
		d.baseRelease, d.headRelease = cmp.Or(d.baseRelease, d.world.release), cmp.Or(d.headRelease, d.world.release)
	}
	base.flags, head.flags = d.side(d.base, d.baseRelease, d.baseEnable, d.baseDisable), d.side(d.head, d.headRelease, d.headEnable, d.headDisable)
	base.flags.commit = commit
	once := onlyNew{stderr, map[string]bool{}}
	var wrongBase, wrongHead error
	base.loaded, wrongBase = base.flags.load(ctx, nil, options, once)
	head.loaded, wrongHead = head.flags.load(ctx, nil, options, once)
	if d.baseRelease != d.headRelease { // the same files may be wrong in one of the worlds only
		inSide("base", wrongBase)
		inSide("head", wrongHead)
	}
	if err := joinSorted(wrongBase, wrongHead); err != nil {
		return base, head, nil, err
	}
	base.name = d.name(base.flags, d.base, d.baseRelease, d.baseEnable, d.baseDisable)
	head.name = d.name(head.flags, d.head, d.headRelease, d.headEnable, d.headDisable)
	return base, head, func() { head.close(once); base.close(once) }, nil
}

// inSide says in the messages about files which of the two worlds they are about.
func inSide(name string, err error) {
	for _, one := range flatten(err) {
		if input := (*scenario.Error)(nil); errors.As(one, &input) {
			input.Message = "in " + name + ": " + input.Message
		}
	}
}

func (d *diffCommand) compare(ctx context.Context, base, head side, corpus traffic.Corpus, outputs []output, stdout io.Writer) error {
	redactor, err := d.secrets.redactor()
	if err != nil {
		return err
	}
	o := diff.Options{Redactor: redactor, Jobs: d.jobs, Samples: d.samples, Tolerance: d.tolerance, Defaults: d.requests.defaults()}
	o.Changed = changes.Between(base.Simulator(), head.Simulator())
	lines, err := openLines(outputs, stdout)
	if err != nil {
		return err
	}
	defer func() { _ = lines.end(wholefile.ErrUnfinished) }()
	var rows *pages.DiffRows
	if hasPage(outputs) {
		rows = pages.NewDiffRows(document.Options{Verbose: d.output.verbose, Redactor: redactor})
		o.Make = func(c *document.Changed) (any, error) { return rows.Make(c) }
	}
	o.Each = func(c *document.Changed, made any) error {
		if row, ok := made.(*pages.RequestRow); ok {
			rows.Add(row)
		}
		if lines.Writer == nil {
			return nil
		}
		return encode.JSON(lines, c.Line())
	}
	result, err := diff.Run(ctx, base.make, head.make, corpus, o)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	shown := result.Document(base.name, head.name)
	err = write(outputs, stdout, document.Options{Verbose: d.output.verbose}, func(w io.Writer, f formats.Format, o document.Options) error {
		if f == formats.JSONLines {
			w = lines // after the lines of the requests
		}
		return formats.WriteDiff(w, f, shown, rows, o)
	})
	if err = lines.end(err); err != nil {
		return err
	}
	switch {
	case result.Undecided > 0:
		return unrecorded(result.Errors)
	case d.exitCode && result.Changed > 0:
		return &deniedError{fmt.Sprintf("%s of %s changed", words.Thousands(result.Changed), words.Plural(result.Requests, "request"))}
	}
	return nil
}

// unrecorded returns the error for requests without an answer. That of a recorded request may be expected from the
// recording, as in a replay.
func unrecorded(why []whatif.RequestError) error {
	var nobody *dispatch.NoBackendError
	for _, one := range why {
		if errors.As(one.Err, &nobody) {
			return hinted(unanswered(why), "diff does not use recorded answers of webhooks: declare Backends, or use admsim replay for a single world")
		}
	}
	return unanswered(why)
}

// commit returns the commit that the files of base are read from; nil if base and head are read from the same place.
func (d *diffCommand) commit(ctx context.Context) (*gitfiles.Files, error) {
	switch {
	case d.since == "":
		return nil, nil
	case len(d.base) > 0:
		return nil, hinted(errors.New("--since and --base both say what base is"), "use --base for what is in files, --since for what is in a commit")
	case len(d.world.paths) == 0:
		return nil, hinted(errors.New("--since has nothing to compare"), "-C PATH names the manifests that are compared with those of "+d.since)
	case slices.Contains(d.world.paths, "-"):
		return nil, hinted(errors.New("standard input is in no commit"), "name files or folders with -C, and what changes them with --head -")
	}
	files, err := gitfiles.Open(ctx, d.since)
	var unread *gitfiles.RevisionError
	if errors.As(err, &unread) {
		return nil, hinted(fmt.Errorf("--since %s: %w", d.since, err), unread.Hint)
	}
	return files, err
}

// side returns the flags of one of the two worlds.
func (d *diffCommand) side(paths []string, release string, enable, disable []string) *worldFlags {
	f := d.world
	f.over = paths
	if release != "" {
		f.release, f.released = release, true
	}
	f.plugins.Enable = append(append([]string(nil), f.plugins.Enable...), enable...)
	f.plugins.Disable = append(append([]string(nil), f.plugins.Disable...), disable...)
	return &f
}

// openLines opens the output for the lines of requests, which are written as they are ready. Without such an output,
// its Writer is nil.
func openLines(outputs []output, stdout io.Writer) (*lineFile, error) {
	for i, one := range outputs {
		if one.format != formats.JSONLines {
			continue
		}
		if one.path == "" {
			return &lineFile{Writer: rawWriter(stdout)}, nil
		}
		file, err := wholefile.Create(one.path, resultMode)
		if err != nil {
			return nil, fmt.Errorf("writing the result: %w", err)
		}
		outputs[i].path = "" // already open
		return &lineFile{Writer: file, file: file}, nil
	}
	return &lineFile{}, nil
}

// A lineFile receives lines as they are ready.
type lineFile struct {
	io.Writer
	file *wholefile.File // nil: standard output
}

// end closes the file; further calls do nothing. err is what went wrong while its lines were written.
func (l *lineFile) end(err error) error {
	if l.file == nil {
		return err
	}
	file := l.file
	l.file = nil
	return file.End(err)
}

// checkEmpty refuses a comparison with a world that no flag says anything about: it was forgotten rather than intended
// to be empty.
func (d *diffCommand) checkEmpty(in corpus.Input) error {
	if !d.world.empty() || len(in.Cases) > 0 || (len(d.base) > 0) == (len(d.head) > 0) {
		return nil
	}
	empty, other := "head", "base"
	if len(d.base) == 0 {
		empty, other = other, empty
	}
	return hinted(fmt.Errorf("%s would be an empty cluster: nothing is named for it", empty),
		fmt.Sprintf("--%s PATH names its manifests, -C those of both worlds; for an empty world, use --%s %s. With -C, what --%s names is added to those", empty, empty, os.DevNull, other))
}

// name returns the name of a world in reports: what it has in addition to the common part, and the common part as well
// if only one world has additions.
func (d *diffCommand) name(f *worldFlags, paths []string, release string, enable, disable []string) string {
	parts := slices.Clone(paths)
	if d.since != "" || len(paths) > 0 && (len(d.base) == 0 || len(d.head) == 0) {
		parts = slices.Concat(f.titles(), paths)
	}
	if release != "" {
		parts = append(parts, "Kubernetes "+release)
	}
	if len(enable) > 0 {
		parts = append(parts, "with "+strings.Join(enable, ", "))
	}
	if len(disable) > 0 {
		parts = append(parts, "without "+strings.Join(disable, ", "))
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case !d.world.empty():
		return d.world.title()
	}
	return "what the suites have"
}
