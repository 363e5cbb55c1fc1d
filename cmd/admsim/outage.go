package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/corpus"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/survey"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif/healing"
	"github.com/admsim/admsim/internal/whatif/outage"
	"github.com/admsim/admsim/internal/whatif/trouble"
	"github.com/admsim/admsim/internal/whatif/webhooks"
)

const outageUsage = `outage shows what breaks when webhooks do not answer: which requests fail, which pass unchecked because
the failurePolicy is Ignore, and how long they wait. It finds deadlocks, where a webhook must admit
the very pods that serve it, and says how to break them. It also adds up how long webhooks may take, and
compares the sum with the 34 seconds that a request has.

The corpus is manifests, recordings or suites, as for diff. Without one, the requests are those that a
cluster needs in order to heal: requests of kubelets, controllers and the scheduler, and those that bring
back the pods behind the webhooks. --print-corpus prints them.

NAME is a webhook, a configuration, or configuration/webhook, where * matches any part of a name, or
svc/NAMESPACE/NAME for all webhooks behind a service. If a mutating and a validating webhook have the same
name, use 'NAME (mutating)' or 'NAME (validating)'. The failures that --down, --hang, --slow, --error
and --bad-tls describe happen all at once, or with --each, to one webhook after the other. Without any of
these flags, each webhook is down once. Webhooks without a backend allow everything while they answer.`

const outageExample = `  admsim outage -C world/
  admsim outage -C world/ --hang 'istio*' --down svc/kyverno/kyverno-svc
  admsim outage -C world/ --all
  admsim outage -C world/ --slow policy.example.com=5s audit.log.gz`

type outageCommand struct {
	world    worldFlags
	requests requestFlags
	output   outputFlags
	names    map[trouble.Mode]*[]string
	each     bool
	services bool
	jobs     int
	samples  int
	exitCode bool
	print    bool
	secrets  redactFlags
	survey   surveyFlags
}

func newOutage() *cobra.Command {
	o := &outageCommand{names: map[trouble.Mode]*[]string{}}
	c := &cobra.Command{
		Use:     "outage [-C PATH]... [CORPUS]...",
		Short:   "Show what breaks when webhooks do not answer",
		Long:    outageUsage,
		Example: outageExample,
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
		Annotations: taking(corpora),
	}
	o.world.add(c)
	o.world.addCluster(c, &o.requests)
	ofCluster(c, func() { o.secrets.add(c) })
	o.world.allowUnmatched, o.world.unexplained = true, true
	addWhatifOutput(c, &o.output)
	addAsking(c, &o.requests, &o.jobs)
	flags := c.Flags()
	for _, m := range modes {
		o.names[m.mode] = flags.StringArray(string(m.mode), nil, m.usage)
	}
	flags.BoolVar(&o.each, "each", false, "fail one of these webhooks at a time, instead of all at once")
	flags.BoolVar(&o.services, "each-service", false, "fail all webhooks behind one service at a time")
	c.MarkFlagsMutuallyExclusive("each", "each-service")
	whole(flags, &o.samples, "samples", "", 0, 20, "how many requests to name for each outcome")
	flags.BoolVar(&o.exitCode, "exit-code", false, "exit with code 1 if a request fails or there is a deadlock")
	o.survey.add(c, "show which of all possible requests fail or pass unchecked while the webhooks that --down names do not answer, or else all webhooks of one service at a time")
	flags.BoolVar(&o.print, "print-corpus", false, "print the requests that are used without a corpus")
	return c
}

var modes = []struct {
	mode  trouble.Mode
	usage string
}{
	{trouble.Down, "webhooks that match `NAME` refuse connections; repeatable"},
	{trouble.Hang, "webhooks that match `NAME` never answer, as if their node was lost; repeatable"},
	{trouble.Slow, "webhooks that match NAME take this much longer: `NAME=5s`; repeatable"},
	{trouble.Error, "webhooks that match `NAME` answer with status 500; repeatable"},
	{trouble.BadTLS, "webhooks that match `NAME` present a certificate that their caBundle does not trust; repeatable"},
}

func (o *outageCommand) run(ctx context.Context, paths []string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	if o.print {
		_, err := stdout.Write(healing.Text())
		return err
	}
	if err := o.survey.check(paths); err != nil {
		return err
	}
	options := o.output.reading(stdin, &o.world)
	if o.survey.all {
		return o.runAll(ctx, options, stdout, stderr)
	}
	w, wrong := o.world.load(ctx, nil, options, stderr)
	in, unread := corpus.Find(paths, options)
	if err := joinSorted(wrong, unread); err != nil {
		return err
	}
	defer w.close(stderr)
	factory := o.world.factory(ctx, w, w.Bag.Objects)
	defer factory.Close()
	graphs, err := traffic.Graphs(factory.Make, in.Keys())
	if err != nil {
		return err
	}
	situations, err := o.situations(webhooks.All(graphs))
	if err != nil {
		return err
	}
	redactor, err := o.secrets.redactor()
	if err != nil {
		return err
	}
	ask := outage.Options{Redactor: redactor, Jobs: o.jobs, Samples: o.samples, Defaults: o.requests.defaults()}
	corpus, title, end, err := o.corpus(paths, in, &ask, w, options, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if err := o.output.ready(); err != nil {
		return err
	}
	result, err := outage.Run(ctx, factory.Make, corpus, situations, ask)
	if err != nil {
		return err
	}
	shown := result.Document(title)
	if len(ask.Objects) > 0 {
		shown.Note = "No requests were named, so only the requests that a cluster needs in order to heal were tried. Name a corpus to try others, or use --all to ask about every possible request."
	}
	if err := writeWhatif(&o.output, stdout, shown); err != nil {
		return err
	}
	fails := len(result.Deadlocks) > 0
	for _, one := range result.Outages {
		fails = fails || one.Fail.Requests > 0
	}
	switch {
	case result.Undecided > 0:
		return unanswered(result.Errors)
	case o.exitCode && fails:
		return errDenied
	}
	return nil
}

// runAll answers for every possible request.
func (o *outageCommand) runAll(ctx context.Context, options scenario.Options, stdout, stderr io.Writer) error {
	if err := o.survey.use("--all", &o.output); err != nil {
		return err
	}
	var patterns []string
	for _, m := range modes {
		if named := *o.names[m.mode]; m.mode == trouble.Down {
			patterns = named
		} else if len(named) > 0 {
			return hinted(fmt.Errorf("--all does not go with --%s", m.mode), "however webhooks fail, the same requests are affected: use --down")
		}
	}
	answer, err := o.survey.answer(ctx, &o.world, &o.output, options, stdout, stderr, func(_ *loaded, asked *survey.World) (*document.Survey, error) {
		return survey.Outage(asked, patterns...)
	})
	if err != nil {
		return err
	}
	if o.exitCode && answer.Has(document.WouldFail) {
		return errDenied
	}
	return nil
}

// corpus returns the requests that the user names, or else those that a cluster needs to heal.
func (o *outageCommand) corpus(paths []string, in corpus.Input, ask *outage.Options, w *loaded, options scenario.Options, stderr io.Writer) (traffic.Corpus, string, func() error, error) {
	if len(paths)+len(w.Bag.Requests) == 0 {
		needs, err := healing.Of(traffic.Dependencies(w.Simulator()))
		if err != nil {
			return nil, "", nil, err
		}
		ask.Objects = needs.Objects
		return needs.Corpus, "what a cluster needs to heal", func() error { return nil }, nil
	}
	corpus, end, err := openCorpus(in, w.Bag.Requests, &o.requests, w.Simulator(), options, stderr)
	title := strings.Join(paths, ", ")
	if title == "" {
		title = "those in " + o.world.title()
	}
	return corpus, title, end, err
}

// situations returns the failures that the flags describe.
func (o *outageCommand) situations(hooks []webhooks.Named) ([]trouble.Situation, error) {
	if len(hooks) == 0 {
		return nil, hinted(errors.New("there is no webhook in the cluster"), "name their configurations with -C; policies run in the API server itself, so they cannot be down while it is up")
	}
	var troubles []trouble.Webhook
	for _, m := range modes {
		for _, text := range *o.names[m.mode] {
			more, err := troublesOf(hooks, m.mode, text)
			if err != nil {
				return nil, err
			}
			troubles = append(troubles, more...)
		}
	}
	if len(troubles) > 0 && !o.each && !o.services {
		return []trouble.Situation{{Troubles: troubles}}, nil
	}
	if len(troubles) == 0 {
		troubles = trouble.Of(hooks, "*", trouble.Down, 0)
	}
	return trouble.Apart(hooks, troubles, o.services), nil
}

func troublesOf(hooks []webhooks.Named, mode trouble.Mode, text string) (all []trouble.Webhook, err error) {
	name, latency := text, time.Duration(0)
	if mode == trouble.Slow {
		value := ""
		name, value, _ = strings.Cut(text, "=")
		if latency, err = time.ParseDuration(value); err != nil || latency <= 0 {
			return nil, badValue("--slow", text, "a webhook and by how much it is slower, such as "+name+"=5s")
		}
	}
	if all = trouble.Of(hooks, name, mode, latency); len(all) == 0 {
		return nil, flagged(fmt.Sprintf("--%s %s", mode, text), webhooks.Unknown(name, hooks))
	}
	return all, nil
}
