package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/corpus"
	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/internal/lint/calls"
	"github.com/admsim/admsim/internal/linter"
	"github.com/admsim/admsim/internal/projectfiles"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/wholefile"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/dispatch"
)

const lintUsage = `lint reads webhook configurations, admission policies and the other manifests of a cluster, in files, folders,
kustomizations and Helm charts, and reports
what is wrong with them before any request fails: Kubernetes' good practices for admission webhooks that
are not followed, deadlocks that lead from a webhook to its Service, to its pods and back, and policies
that cannot do what they are meant to do.

With --corpus, it also runs requests and judges webhooks by what they do. Documents of kind Backends
say how webhooks answer; a webhook without a backend is only judged by its configuration.

The exit code is 1 if a finding is at least as severe as --fail-on says.`

const lintExample = `  admsim lint config/
  admsim lint config/default
  helm template my-chart -f prod.yaml | admsim lint - -o sarif=lint.sarif
  admsim lint config/ --corpus requests/
  admsim lint config/ --accept 'older than the check'
  admsim lint --rules`

// listRules is the name under which package formats knows --rules.
const listRules = "lint --rules"

type lintCommand struct {
	world   worldFlags
	output  outputFlags
	corpus  []string
	asking  requestFlags // of the corpus
	failOn  string
	now     string
	project string
	reason  string // --accept
	rules   bool
	empty   bool // --allow-empty
}

func newLint() *cobra.Command {
	l := &lintCommand{}
	c := &cobra.Command{
		Use:     "lint PATH... | --rules",
		Short:   "Find mistakes in webhook configurations and policies",
		Long:    lintUsage,
		Example: lintExample,
		RunE: func(c *cobra.Command, args []string) error {
			return l.run(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
		Annotations: taking(manifests),
	}
	l.world.add(c)
	l.world.addCluster(c, &l.asking)
	l.world.partial, l.world.unanswered = true, &dispatch.Mock{}
	flags := c.Flags()
	l.output.addOutputs(c, "lint")
	flags.Lookup("output").Usage += "; without -o, github is added if GITHUB_ACTIONS=true; --rules supports " + strings.Join(formatNames(listRules), ", ")
	flags.BoolVarP(&l.output.verbose, "verbose", "v", false, "also show the reason for each rule, and findings that are ignored")
	l.asking.addExpand(c)
	flags.StringArrayVar(&l.corpus, "corpus", nil, "`PATH` of requests, recordings or suites to run, to judge webhooks by what they do; repeatable")
	flags.StringVar(&l.failOn, "fail-on", string(lint.Error), "least `SEVERITY` for which the exit code is 1: error, warning, info")
	flags.StringVar(&l.now, "now", "", "`TIME` at which certificates must be valid, such as 2026-01-31 or 2026-01-31T12:00:00Z (default now)")
	flags.StringVar(&l.project, "project", projectfiles.Name, "`FILE` with the accepted findings")
	flags.StringVar(&l.reason, "accept", "", "accept all current findings for this `REASON`: they are written to the file of --project and not reported again")
	flags.BoolVar(&l.empty, "allow-empty", false, "accept manifests without webhooks, policies or CustomResourceDefinitions")
	flags.BoolVar(&l.rules, "rules", false, "list the rules")
	c.MarkFlagsMutuallyExclusive("accept", "rules")
	c.MarkFlagsMutuallyExclusive("accept", "output")
	return c
}

func (l *lintCommand) run(ctx context.Context, paths []string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	outputs, err := l.outputs(stdout)
	if err != nil {
		return err
	}
	if l.rules {
		return write(outputs, stdout, document.Options{Verbose: l.output.verbose}, func(w io.Writer, f formats.Format, o document.Options) error {
			return formats.WriteRules(w, f, linter.RulesDocument(), o)
		})
	}
	failOn, now, err := l.check()
	if err != nil {
		return err
	}
	if len(paths) == 0 && l.world.empty() && l.world.configuration == "" {
		return hinted(errors.New("there is nothing to look at"), "name files or folders with webhook configurations or policies, or - for standard input")
	}
	options := l.output.reading(stdin, &l.world)
	project, err := scenario.LoadProject(l.project, options)
	if err != nil {
		return err
	}
	if l.asking.expand && len(l.corpus) == 0 {
		return hinted(errors.New("--expand needs requests"), "name some with --corpus")
	}
	var invalid []linter.Invalid
	l.world.invalid = &invalid
	w, err := l.world.load(ctx, paths, options, stderr)
	if err != nil {
		return err
	}
	defer w.close(stderr)
	if !l.empty && !lintable(w.Bag.Objects) && len(l.world.static()) == 0 && len(invalid) == 0 {
		return hinted(fmt.Errorf("there are no webhooks, admission policies or CustomResourceDefinitions in %s", strings.Join(l.titles(paths), ", ")),
			"name the files that contain some, or use --allow-empty")
	}
	in := linter.Input{Manifests: w.Bag.Objects, Static: l.world.static(), World: w.World, Release: w.Release, Now: now, Ignore: project.Ignore, Invalid: invalid}
	var undecided []whatif.RequestError
	if len(l.corpus) > 0 {
		requests, end, unread := l.requests(ctx, w, options, &undecided, stderr)
		if unread != nil {
			return unread
		}
		defer func() { err = errors.Join(err, end()) }()
		in.Corpus = requests
	}
	if err := l.output.ready(); err != nil {
		return err
	}
	result, err := linter.Run(ctx, in)
	if err != nil {
		return err
	}
	if l.reason != "" {
		return l.accept(result, project, stderr)
	}
	shown := result.Document()
	err = write(outputs, stdout, document.Options{Verbose: l.output.verbose}, func(w io.Writer, f formats.Format, o document.Options) error {
		return formats.WriteLint(w, f, shown, o)
	})
	if err != nil {
		return err
	}
	if err := result.Bugs.Err(); err != nil {
		return err
	}
	if len(undecided) > 0 {
		return unanswered(undecided)
	}
	if worst, any := result.Worst(); any && worst.Reaches(failOn) {
		return errDenied
	}
	return nil
}

// titles names what the manifests were read from.
func (l *lintCommand) titles(paths []string) []string {
	names := slices.Concat(l.world.titles(), paths)
	if l.world.configuration != "" {
		names = append(names, l.world.configuration)
	}
	return names
}

// lintable reports whether there is something to lint. Otherwise a result without findings would mean nothing.
func lintable(objects []scenario.Manifest) bool {
	return slices.ContainsFunc(objects, func(m scenario.Manifest) bool {
		return m.Group == admissionregistrationv1.GroupName || m.Kind == "CustomResourceDefinition"
	})
}

// outputs returns the outputs of the flags. Without any, they are text, and annotations on GitHub.
func (l *lintCommand) outputs(stdout io.Writer) ([]output, error) {
	otherwise := []formats.Format{formats.Text}
	switch {
	case l.rules:
		l.output.command = listRules
	case os.Getenv("GITHUB_ACTIONS") == "true":
		otherwise = append(otherwise, formats.GitHub)
	}
	return l.output.parse(stdout, otherwise...)
}

func (l *lintCommand) check() (failOn lint.Severity, now time.Time, err error) {
	var known []string
	for _, s := range lint.Severities() {
		known = append(known, string(s))
		if string(s) == l.failOn {
			failOn = s
		}
	}
	if failOn == "" {
		return "", now, oneOf("--fail-on", l.failOn, known)
	}
	if l.now == "" {
		return failOn, time.Now(), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if now, err = time.Parse(layout, l.now); err == nil {
			return failOn, now, nil
		}
	}
	return failOn, now, badValue("--now", l.now, "a time such as 2026-01-31 or 2026-01-31T12:00:00Z")
}

// requests returns the answers to the requests of the corpus. Requests that admsim cannot answer are left out, and
// added to undecided.
func (l *lintCommand) requests(ctx context.Context, w *loaded, o scenario.Options, undecided *[]whatif.RequestError, stderr io.Writer) (all iter.Seq2[calls.Answered, error], end func() error, err error) {
	in, err := corpus.Find(l.corpus, o)
	if err != nil {
		return nil, nil, err
	}
	defaults := l.asking.defaults()
	corpus, endCorpus, err := openCorpus(in, nil, &l.asking, w.Simulator(), o, stderr)
	if err != nil {
		return nil, nil, err
	}
	factory := l.world.factory(ctx, w, w.Bag.Objects)
	end = func() error { factory.Close(); return endCorpus() }
	return func(yield func(calls.Answered, error) bool) {
		for a, err := range traffic.Answers(ctx, factory.Make, corpus, defaults, runtime.NumCPU()) {
			answered, caught := answeredOf(a, factory.Declared)
			if err == nil {
				err = caught
			}
			if about := a.Request != (traffic.Request{}); about && err != nil {
				*undecided = append(*undecided, whatif.RequestError{Err: err})
				if len(*undecided) <= 5 {
					printWarning(stderr, "could not be answered: "+err.Error(), "")
				}
				continue
			}
			if !yield(answered, err) {
				return
			}
		}
	}, end, nil
}

// answeredOf converts an answer to what rules look at. A bug becomes an error, which costs only this request.
func answeredOf(a traffic.Answered, declared func(*world.CaseKey) func(configuration, webhook string) bool) (answered calls.Answered, err error) {
	defer bug.Catch(&err)
	return calls.Answered{Asked: a.Asked, Source: a.Request.Source(), Result: a.Result, Recorded: a.Request.Recorded, Known: declared(keyOf(a.Request))}, nil
}

// keyOf names the world in which a request was answered.
func keyOf(r traffic.Request) *world.CaseKey {
	if r.Step == nil {
		return nil
	}
	return r.Step.Key
}

// accept makes the project file ignore all findings.
func (l *lintCommand) accept(r *linter.Result, project scenario.Project, stderr io.Writer) error {
	before, err := os.ReadFile(l.project)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	ignore, accepted := r.Accept(project.Ignore, l.reason)
	text, err := linter.ProjectYAML(l.project, string(before), ignore)
	if err != nil {
		return err
	}
	if err := wholefile.Write(l.project, text, resultMode); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "admsim: %s accepted in %s\n", words.Plural(accepted, "finding"), l.project)
	return nil
}
