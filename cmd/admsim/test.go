package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/internal/suite"
	"github.com/admsim/admsim/internal/suite/cases"
	"github.com/admsim/admsim/internal/suite/expect"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/suite/variants"
	"github.com/admsim/admsim/internal/suitefile"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const testUsage = `test runs suites: files named admsim.yaml or *_admsim.yaml. Each has a world, the backends that answer for
its webhooks, and cases that say what happens to requests there.

A PATH is such a file, a folder with such files, or with FOLDER/... a folder and everything below it.
Without a PATH, it is ./... A suite can also be a txtar archive with everything it needs; attach one of
these to a bug report.

A suite never passes by accident: finding no suites is an error, and so are backends and answers that no
case needs, and webhooks that no case reaches.`

const testExample = `  admsim test
  admsim test ./admission/... -r pods/privileged -v
  admsim test -o text -o junit=report.xml --coverage-min 80
  admsim test --update`

type testCommand struct {
	world  worldFlags
	user   requestFlags
	output outputFlags
	hide   redactFlags

	allowed *consent.Policy // what suites may do on this machine

	run      string
	jobs     int
	failFast bool
	failOnly bool
	update   bool
	watch    bool
	list     bool
	timings  bool

	coverage    bool
	coverageMin float64

	witnesses surveyFlags

	allowEmpty, allowUnused, allowUnreached bool
}

func newTest() *cobra.Command {
	t := &testCommand{}
	c := &cobra.Command{
		Use:     "test [PATH | FOLDER/...]...",
		Short:   "Run suites: check what happens to requests",
		Long:    testUsage,
		Example: testExample,
		RunE: func(c *cobra.Command, args []string) error {
			return t.execute(c.Context(), args, c.OutOrStdout(), c.ErrOrStderr())
		},
		Annotations: taking(suites),
	}
	t.addTo(c)
	return c
}

func (t *testCommand) addTo(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVarP(&t.run, "run", "r", "", "run only cases whose suite/case matches `REGEX`; as for go test, each part between slashes is matched separately")
	whole(flags, &t.jobs, "jobs", "j", 0, 0, "how many cases to run in parallel (default one for each processor)")
	flags.BoolVar(&t.failFast, "fail-fast", false, "stop after the first case that does not pass")
	flags.BoolVar(&t.failOnly, "fail-only", false, "show only what did not pass")
	flags.BoolVar(&t.update, "update", false, "rewrite the files of expected objects that differ, instead of failing")
	flags.BoolVar(&t.watch, "watch", false, "run again whenever a file changes, until interrupted")
	flags.BoolVar(&t.list, "list", false, "list the cases without running them")
	flags.BoolVar(&t.timings, "timings", true, "show how long cases took in real time")
	flags.BoolVar(&t.coverage, "coverage", false, "show the whole admission configuration, and how often each part was reached")
	part(flags, &t.coverageMin, "coverage-min", 100, "a percentage", "fail if less than this `PERCENT` of the admission configuration is reached")
	flags.BoolVar(&t.allowEmpty, "allow-empty", false, "accept that there are no suites, or that --run selects no case")
	flags.BoolVar(&t.allowUnused, "allow-unused", false, "accept backends and answers that no case needs, and faults of webhooks that do not exist")
	flags.BoolVar(&t.allowUnreached, "allow-unreached", false, "accept webhooks that no case reaches")
	flags.StringVar(&t.witnesses.witnesses, "witnesses", "", "`FOLDER`, new or empty, to write counterexamples to, the requests for which a case about a region (every) does not hold")
	ofCluster(c, func() {
		flags.BoolVar(&t.world.allowUnknown, "allow-unknown", false, "warn about kinds and fields that the cluster does not know, instead of failing")
		flags.StringVar(&t.world.release, "kubernetes-version", "", "Kubernetes `VERSION` for suites that name none (default "+kubeversion.Default().Version+")")
		flags.BoolVar(&t.world.live, "live", false, "call webhooks without a backend at the address in their configuration")
		flags.Var(&t.world.services, "service", "`NS/NAME:PORT=HOST:PORT`: real address of a webhook's service; repeatable")
		t.world.addExclude(flags)
		t.world.authorization.add(c)
		t.world.addCalls(flags)
		t.world.consent = newConsentFlags(c)
		t.hide.add(c)
	})
	t.world.addUnmatched(c)
	flags.StringVar(&t.user.as, "as", "", "`USER` who sends the request, if neither case nor suite says (default a cluster administrator)")
	flags.StringArrayVar(&t.user.asGroups, "as-group", nil, "`GROUP` of that user; repeatable")
	t.output.addOutputs(c, "test")
	flags.Lookup("output").Usage += "; without -o, github is added if GITHUB_ACTIONS=true"
	flags.BoolVarP(&t.output.verbose, "verbose", "v", false, "show all steps of each case, also of the cases that passed")
	normalize(flags)
	c.MarkFlagsMutuallyExclusive("watch", "witnesses")
	for _, running := range []string{"witnesses", "update", "watch", "coverage", "coverage-min", "fail-fast", "fail-only"} {
		c.MarkFlagsMutuallyExclusive("list", running)
	}
	setCompletions(c, "kubernetes-version", kubeversion.Versions())
}

func (t *testCommand) execute(ctx context.Context, paths []string, stdout, stderr io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	if err := t.witnesses.checkFolder(); err != nil {
		return err
	}
	if t.watch {
		return t.again(ctx, paths, stdout, stderr)
	}
	_, err := t.once(ctx, paths, stdout, stderr)
	return err
}

func (t *testCommand) check() error {
	if err := t.output.check(); err != nil {
		return err
	}
	if t.user.as == "" && len(t.user.asGroups) > 0 {
		return hinted(errors.New("--as-group without --as"), "name a user of that group with --as")
	}
	if _, err := t.hide.redactor(); err != nil {
		return err
	}
	if t.world.release != "" {
		if _, err := kubeversion.Parse(t.world.release); err != nil {
			return err
		}
	}
	return nil
}

// once loads and runs everything once, and returns what was loaded.
func (t *testCommand) once(ctx context.Context, paths []string, stdout, stderr io.Writer) (*suitefile.Files, error) {
	selects, err := cases.ParseSelection(t.run)
	if err != nil {
		return nil, hinted(fmt.Errorf("--run: %w", err), `brackets in names need backslashes: --run 'pods/outage\[fault=timeout\]'`)
	}
	paths = orDefault(paths)
	files, err := suitefile.Find(paths, t.world.exclude)
	if err != nil {
		return files, err
	}
	if len(files.Names) == 0 {
		return files, t.empty(fmt.Errorf("no suites in %s", strings.Join(paths, ", ")), files.Hint())
	}
	passed := map[string]bool{} // a set: several suites may pass over the same file
	if t.output.verbose {
		files.PassedOver = func(name string) { passed[name] = true }
	}
	if err := t.world.authorization.load(t.output.reading(nil, &t.world)); err != nil {
		return files, err
	}
	loaded := files.Load(t.output.reading(nil, &t.world))
	if len(passed) > 0 {
		fmt.Fprintf(stderr, "admsim: left out of the worlds that load their folders, because cases name them: %s\n", strings.Join(slices.Sorted(maps.Keys(passed)), ", "))
	}
	t.warnRelease(loaded, stderr)
	if t.allowed, err = t.world.consent.allowed(files.Roots()...); err != nil {
		return files, err
	}
	if t.list {
		return files, t.listCases(loaded, selects, stdout, stderr)
	}
	if err := t.checkSelected(loaded, selects); err != nil {
		return files, err
	}
	if err := t.output.ready(); err != nil {
		return files, err
	}
	for _, one := range loaded {
		for _, s := range one.Suites {
			backends.Declare(t.allowed, s.Backends)
			for _, c := range s.Cases {
				backends.Declare(t.allowed, c.Override.Backends)
			}
		}
	}
	o := t.options(files, selects, stderr)
	moved, erase := countProgress(stderr, "cases")
	o.Progress = moved
	results := suite.Run(ctx, loaded, o)
	erase()
	once := onlyNew{stderr, map[string]bool{}} // suites share worlds, and their warnings
	for _, one := range results.Suites {
		printWarnings(once, one.Warnings)
	}
	printError(stderr, joinSorted(results.Wrong()...))
	results.Require(t.coverageMin)
	if err := t.write(results, stdout); err != nil {
		return files, err
	}
	if err := files.Save(); err != nil {
		return files, err
	}
	return files, t.verdict(results)
}

// warnRelease warns about suites that name a release, so that --kubernetes-version has no effect on them.
func (t *testCommand) warnRelease(loaded []suitefile.Loaded, stderr io.Writer) {
	for _, one := range loaded {
		for _, s := range one.Suites {
			if named := s.World.Release; t.world.release != "" && named != "" && named != t.world.release {
				printWarning(stderr, fmt.Sprintf("--kubernetes-version has no effect on %s, which names %s", one.File, named), "")
			}
		}
	}
}

func orDefault(paths []string) []string {
	if len(paths) == 0 {
		return []string{"./..."}
	}
	return paths
}

// empty returns the error for a run without cases, nil if --allow-empty is given.
func (t *testCommand) empty(err error, hint string) error {
	if t.allowEmpty {
		return nil
	}
	return hinted(err, hint)
}

func (t *testCommand) options(files *suitefile.Files, selects cases.Selection, stderr io.Writer) suite.Options {
	redactor, _ := t.hide.redactor() // already checked
	t.world.stderr = stderr
	o := suite.Options{
		Show:           func(a expect.Answer) outcome.Show { return answer.Later(a.Asked, a.Result, redactor) },
		User:           t.user.user(),
		Select:         selects,
		Jobs:           t.jobs,
		FailFast:       t.failFast,
		AllowUnused:    t.allowUnused,
		AllowUnreached: t.allowUnreached,
		Worlds: variants.Options{
			Release:       t.world.release,
			IgnoreUnknown: t.world.allowUnknown,
			Authorization: t.world.authorization.loaded,
			Verbose:       t.output.verbose,
			Backends:      t.world.backends(),
		},
		Expect: expect.Options{Redactor: redactor},
	}
	o.Worlds.Backends.Consent = t.allowed
	if t.timings {
		o.Now = time.Now
	}
	if t.update {
		o.Expect.Write = files.Write
	}
	if t.witnesses.witnesses != "" {
		o.Witness = t.witnesses.writer()
	}
	return o
}

// verdict converts results to the error that sets the exit code.
func (t *testCommand) verdict(r *outcome.Results) error {
	s := r.Summary()
	met := bug.Counter{What: "case"}
	for _, one := range r.Suites {
		for _, c := range one.Cases {
			met.Met(c.Err)
		}
	}
	switch {
	case met.Count > 0:
		return met.Err()
	case s.Errored+s.Problems > 0:
		return errUnknown
	case s.Failed > 0:
		return errDenied
	case s.Cases() == 0 && !t.allowEmpty:
		return hinted(errors.New("no case was run"), "write them under cases in the suite; --allow-empty accepts a run without cases")
	}
	return nil
}

// write writes to all outputs. Files are written at the end, so that a failed run leaves no partial file.
func (t *testCommand) write(r *outcome.Results, stdout io.Writer) error {
	outputs, err := t.output.parse(stdout, formats.Text)
	if err != nil {
		return err
	}
	redactor, err := t.hide.redactor()
	if err != nil {
		return err
	}
	options := document.Options{Verbose: t.output.verbose, FailOnly: t.failOnly, Coverage: t.coverage, Redactor: redactor}
	err = write(outputs, stdout, options, func(w io.Writer, f formats.Format, o document.Options) error {
		o.Told = w == rawWriter(stdout) // standard error has the errors
		return formats.WriteSuites(w, f, r, o)
	})
	if err != nil || os.Getenv("GITHUB_ACTIONS") != "true" || len(t.output.outputs) > 0 {
		return err
	}
	return t.onGitHub(r, redactor, stdout)
}

// onGitHub writes annotations for the lines at fault, and a summary of the job.
func (t *testCommand) onGitHub(r *outcome.Results, redactor *redact.Redactor, stdout io.Writer) error {
	if err := formats.WriteSuites(rawWriter(stdout), formats.GitHub, r, document.Options{Redactor: redactor}); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	name := os.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, resultMode)
	if err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	err = formats.WriteSuites(f, formats.Markdown, r, document.Options{Redactor: redactor})
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	return nil
}
