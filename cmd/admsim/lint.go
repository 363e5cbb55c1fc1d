package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/lint"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/world"
)

const lintUsage = `lint reads webhook configurations, with whatever else of the cluster is in the manifests, and reports
what is wrong with them before any request fails: Kubernetes' good practices for admission webhooks,
and the deadlocks that lead from a webhook to its Service, to its pods and back.

With --corpus, requests are run as well, and webhooks are judged by what they do; documents of kind
Backends say how they answer, and those without a backend are only judged by their configuration.

The exit code is 1 where something is found that is as bad as --fail-on says.`

const lintExample = `  admsim lint config/
  helm template my-chart | admsim lint - -o sarif=lint.sarif
  admsim lint config/ --corpus requests/
  admsim lint --rules`

type lintCommand struct {
	world   worldFlags
	output  outputFlags
	corpus  []string
	failOn  string
	now     string
	project string
	rules   bool
}

func newLint() *cobra.Command {
	l := &lintCommand{}
	c := &cobra.Command{
		Use:     "lint PATH... | --rules",
		Short:   "Find what is wrong with webhook configurations",
		Long:    lintUsage,
		Example: lintExample,
		RunE: func(c *cobra.Command, args []string) error {
			return l.run(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	l.world.add(c)
	flags := c.Flags()
	flags.StringArrayVarP(&l.output.outputs, "output", "o", nil,
		"output `FORMAT` (text, json, sarif, github; of --rules text, json, markdown), or FORMAT=FILE to write to a file; repeatable (default text, and github where GITHUB_ACTIONS=true)")
	flags.StringVar(&l.output.colour, "color", "auto", "colour in text: auto, always or never; NO_COLOR turns auto off")
	flags.BoolVarP(&l.output.verbose, "verbose", "v", false, "also show why a rule is one, and what is ignored")
	flags.StringArrayVar(&l.corpus, "corpus", nil, "`PATH` of requests to judge webhooks by what they do; repeatable")
	flags.StringVar(&l.failOn, "fail-on", string(lint.Error), "`SEVERITY` from which on the exit code is 1: error, warning, info")
	flags.StringVar(&l.now, "now", "", "`TIME` at which certificates have to be valid, such as 2026-01-31 or 2026-01-31T12:00:00Z (default now)")
	flags.StringVar(&l.project, "project", scenario.ProjectFile, "`FILE` with the findings that are accepted")
	flags.BoolVar(&l.rules, "rules", false, "list the rules")
	return c
}

func (l *lintCommand) run(ctx context.Context, paths []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if l.rules {
		return l.write(report.RulesFormats(), stdout, report.WriteRules)
	}
	failOn, now, err := l.check()
	if err != nil {
		return err
	}
	if len(paths)+len(l.world.paths) == 0 {
		return hinted(errors.New("there is nothing to look at"), "name files or folders with webhook configurations, or - for standard input")
	}
	in, backends, err := l.input(ctx, paths, scenario.Options{Stdin: stdin}, stderr)
	if backends != nil {
		defer backends.Close()
	}
	if err != nil {
		return err
	}
	in.Now = now
	result, err := lint.Run(ctx, in)
	if err != nil {
		return err
	}
	shown := report.NewLint(result)
	err = l.write(report.LintFormats(), stdout, func(w io.Writer, f report.Format, o report.Options) error {
		return report.WriteLint(w, f, shown, o)
	})
	if err != nil {
		return err
	}
	if worst, any := result.Worst(); any && worst.Reaches(failOn) {
		return errDenied
	}
	return nil
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
		return "", now, didyoumean.Unknown(fmt.Sprintf("--fail-on %q is not one of %s", l.failOn, strings.Join(known, ", ")), l.failOn, known)
	}
	if l.now == "" {
		return failOn, time.Now(), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if now, err = time.Parse(layout, l.now); err == nil {
			return failOn, now, nil
		}
	}
	return failOn, now, hinted(fmt.Errorf("--now %q is no time", l.now), "write it as 2026-01-31 or 2026-01-31T12:00:00Z")
}

// input reads everything that is to be checked. Who answers for webhooks has to be closed
// after it.
func (l *lintCommand) input(ctx context.Context, paths []string, o scenario.Options, stderr io.Writer) (in lint.Input, backends *world.Backends, err error) {
	if in.Release, err = kubeversion.Parse(l.world.release); err != nil {
		return in, nil, err
	}
	if err := l.world.configure(in.Release, o); err != nil {
		return in, nil, err
	}
	found, err := scenario.Load(slices.Concat(l.world.paths, paths), o)
	if err != nil {
		return in, nil, err
	}
	bag, err := scenario.Sort(found, o)
	if err != nil {
		return in, nil, err
	}
	var unknown []string
	in.Manifests, unknown = known(bag.Objects, in.Release)
	if len(unknown) > 0 {
		fmt.Fprintf(stderr, "admsim: warning: custom resources without their definition are left out: %s\n", strings.Join(unknown, ", "))
	}
	if backends, err = l.answering(ctx, &in, bag.Backends); err != nil {
		return in, nil, err
	}
	var warnings []*scenario.Error
	in.World, warnings, err = world.New(in.Manifests, world.Options{
		Release:       in.Release,
		Plugins:       l.world.plugins,
		Backends:      backends.Backend,
		Controllers:   l.world.controllers,
		IgnoreUnknown: l.world.allowUnknown,
	})
	printWarnings(stderr, warnings)
	if err != nil {
		return in, backends, err
	}
	project, err := scenario.LoadProject(l.project, o)
	if err != nil {
		return in, backends, err
	}
	in.Ignore, in.Defaults = project.Ignore, (&requestFlags{}).defaults()
	return in, backends, l.requests(&in, o)
}

// answering is who answers for webhooks while a corpus runs. Those that nobody is declared
// for allow everything, and are not judged by that.
func (l *lintCommand) answering(ctx context.Context, in *lint.Input, declared scenario.Backends) (*world.Backends, error) {
	if len(l.corpus) == 0 {
		declared = scenario.Backends{} // nobody is asked, so that no program has to start
	}
	allow := &dispatch.Mock{}
	backends, err := world.NewBackends(ctx, declared, world.BackendOptions{
		Expressions: expression.New(in.Release),
		Objects:     in.Manifests,
		State:       func() *cluster.State { return in.World.Simulator().State() },
		Services:    l.world.services,
		Proxy:       true,
		Live:        l.world.live && len(l.corpus) > 0,
		Unmatched:   allow,
		Now:         time.Now,
	})
	in.Answered = func(configuration, webhook string) bool {
		return backends.Backend(configuration, webhook) != dispatch.Backend(allow)
	}
	return backends, err
}

// requests reads the corpus.
func (l *lintCommand) requests(in *lint.Input, o scenario.Options) error {
	if len(l.corpus) == 0 {
		return nil
	}
	found, err := scenario.Load(l.corpus, o)
	if err != nil {
		return err
	}
	in.Corpus, err = scenario.Requests(found, "create", o)
	if err == nil && len(in.Corpus) == 0 {
		err = fmt.Errorf("there is no request in %s", strings.Join(l.corpus, ", "))
	}
	return err
}

// known leaves out custom resources whose definition is not there: charts are full of
// them, and no rule looks at one. A kind that is misspelt in a group that is known stays,
// and is an error.
func known(all []scenario.Manifest, r *kubeversion.Release) (kept []scenario.Manifest, unknown []string) {
	groups := map[string]bool{}
	for _, resource := range r.Resources {
		groups[resource.Group] = true
	}
	for _, m := range all {
		if m.Kind == "CustomResourceDefinition" {
			_, group, _ := strings.Cut(m.Name, ".")
			groups[group] = true
		}
	}
	for _, m := range all {
		if name := m.Kind + "." + m.Group; groups[m.Group] || !strings.Contains(m.Group, ".") {
			kept = append(kept, m)
		} else if !slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
	}
	return kept, unknown
}

// write writes to all outputs asked for. What goes to files is written at the end, so that
// a run that fails leaves no half of a file.
func (l *lintCommand) write(formats []report.Format, stdout io.Writer, write func(io.Writer, report.Format, report.Options) error) error {
	colour, err := l.output.coloured(stdout)
	if err != nil {
		return err
	}
	outputs := l.output.outputs
	if len(outputs) == 0 {
		outputs = []string{string(report.Text)}
		if os.Getenv("GITHUB_ACTIONS") == "true" && !l.rules {
			outputs = append(outputs, string(report.GitHub))
		}
	}
	var files []*outputFile
	toStdout := ""
	for _, o := range outputs {
		name, path, isFile := strings.Cut(o, "=")
		format, err := report.ParseFormatOf(name, formats)
		if err != nil {
			return err
		}
		options := report.Options{Verbose: l.output.verbose, Colour: colour}
		to := stdout
		switch {
		case isFile && path == "":
			return fmt.Errorf("output %q names no file", o)
		case isFile && path != "-":
			options.Colour = l.output.colour == "always"
			file := &outputFile{path: path}
			files = append(files, file)
			to = file
		case toStdout != "" && len(l.output.outputs) > 0:
			return hinted(fmt.Errorf("two outputs for standard output: %s and %s", toStdout, o),
				fmt.Sprintf("write one of them to a file: -o %s=FILE", name))
		default:
			toStdout = o
		}
		if err := write(to, format, options); err != nil {
			return fmt.Errorf("writing the result: %w", err)
		}
	}
	for _, f := range files {
		if e := os.WriteFile(f.path, f.Bytes(), 0o666); e != nil {
			err = errors.Join(err, fmt.Errorf("writing the result: %w", e))
		}
	}
	return err
}
