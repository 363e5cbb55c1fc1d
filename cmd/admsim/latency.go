package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/corpus"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suitefile"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif/latency"
	"github.com/admsim/admsim/internal/whatif/webhooks"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

const latencyUsage = `latency shows how long a request takes in admission, and how likely it is that a webhook times out or that
the request uses up its 34 seconds. It draws the latencies of webhooks many times from distributions, and
computes how long the simulated server then takes: mutating webhooks one after the other, validating
webhooks in parallel, with timeouts, failure policies and the second round.

Distributions are given as percentiles, p50:10ms,p99:200ms, optionally with max:1s and fail:0.1%. Between
the percentiles, latencies are log-normal. Or they are taken from recordings of admsim record: the calls
of a webhook are found by its URL, or by NAME with NAME=FILE.

A webhook with neither has the latency of its mock, or none if it has no mock.

If there are several requests, the last one counts; of a suite, the last one of every case. NAME is a
webhook, a configuration, or configuration/webhook, where * matches any part of a name, or
svc/NAMESPACE/NAME for all webhooks behind a service.`

const latencyExample = `  admsim latency -C world/ pod.yaml --latency '*=p50:10ms,p99:200ms'
  admsim latency -C world/ -f pod.yaml --from recording.jsonl \
    --latency 'istio*=p50:5ms,p95:40ms,max:10s'`

type latencyCommand struct {
	world     worldFlags
	requests  requestFlags
	output    outputFlags
	latencies []string
	from      []string
	ask       latency.Options
}

func newLatency() *cobra.Command {
	l := &latencyCommand{}
	c := &cobra.Command{
		Use:     "latency [-C PATH]... PATH [--latency NAME=DISTRIBUTION]...",
		Short:   "Show how long requests take, given the latencies of webhooks",
		Long:    latencyUsage,
		Example: latencyExample,
		RunE: func(c *cobra.Command, args []string) error {
			return l.run(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
		Annotations: taking(requestFiles),
	}
	l.world.add(c)
	l.world.addCluster(c, &l.requests)
	l.world.allowUnmatched = true
	l.requests.add(c)
	addWhatifOutput(c, &l.output)
	flags := c.Flags()
	flags.StringArrayVar(&l.latencies, "latency", nil, "latency of the webhooks that match NAME: `NAME=p50:10ms,p99:200ms`; repeatable, the first match counts")
	flags.StringArrayVar(&l.from, "from", nil, "take latencies from this `FILE` of admsim record, or NAME=FILE; repeatable")
	whole(flags, &l.ask.Samples, "samples", "", 1, 10000, "how many times to draw")
	flags.Uint64Var(&l.ask.Seed, "seed", 1, "seed for drawing: the same seed gives the same result")
	whole(flags, &l.ask.Jobs, "jobs", "j", 1, 2, "how many draws to run in parallel")
	return c
}

func (l *latencyCommand) run(ctx context.Context, paths []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := l.requests.check(); err != nil {
		return err
	}
	options := l.output.reading(stdin, &l.world)
	if len(l.requests.files) == 0 && slices.ContainsFunc(paths, suitefile.Holds) {
		l.requests.files, paths = paths, nil
	}
	w, err := l.requests.load(ctx, &l.world, paths, options, stderr)
	if err != nil {
		return err
	}
	defer w.close(stderr)
	factory := l.world.factory(ctx, w, w.Bag.Objects)
	defer factory.Close()
	in, err := l.suites(options)
	if err != nil {
		return err
	}
	questions, err := l.questions(ctx, w, in, options, stderr)
	if err != nil {
		return err
	}
	graphs, err := traffic.Graphs(factory.Make, in.Keys())
	if err != nil {
		return err
	}
	latencies, err := l.distributions(webhooks.In(graphs), stderr)
	if err != nil {
		return err
	}
	l.ask.Of = latencies.Of
	if err := l.output.ready(); err != nil {
		return err
	}
	moved, erase := countProgress(stderr, "answers")
	l.ask.Drawn = moved
	result, err := latency.Run(ctx, factory.Make, questions, l.ask)
	erase()
	if err != nil {
		return err
	}
	if len(result.Webhooks) > 0 && len(l.latencies)+len(l.from) == 0 && !anyLatency(w, in) {
		return hinted(errors.New("no latency is given"), "say how long webhooks take: --latency '*=p50:10ms,p99:200ms', --from a recording, or the latency of mocks")
	}
	return writeWhatif(&l.output, stdout, result.Document())
}

// anyLatency reports whether a mock has a latency.
func anyLatency(w *loaded, in corpus.Input) bool {
	all := slices.Clone(w.Backends.Declared())
	for _, c := range in.Cases {
		all = slices.Concat(all, c.Key.Suite.Backends.List, c.Key.Case.Override.Backends.List)
	}
	return slices.ContainsFunc(all, func(b scenario.Backend) bool {
		return slices.ContainsFunc(b.Answers, func(a scenario.Answer) bool { return a.Delay.Duration > 0 })
	})
}

// suites removes the suites from the files of -f and reads their cases.
func (l *latencyCommand) suites(o scenario.Options) (corpus.Input, error) {
	var rest, suites []string
	for _, path := range l.requests.files {
		if suitefile.Holds(path) {
			suites = append(suites, path)
		} else {
			rest = append(rest, path)
		}
	}
	l.requests.files = rest
	return corpus.Find(suites, o)
}

// questions returns the last request of the files that are not suites, and the last one of every case. Earlier requests
// only set up the cluster that it finds.
func (l *latencyCommand) questions(ctx context.Context, w *loaded, in corpus.Input, o scenario.Options, stderr io.Writer) (all []latency.Question, err error) {
	for _, c := range in.Cases {
		all = append(all, latency.Question{Key: c.Key, Ask: latency.Last(ctx, c.Requests(l.requests.defaults(), false))})
	}
	if len(all) > 0 && len(l.requests.files) == 0 {
		return all, nil
	}
	requests, err := l.requests.requests(w, o, stderr)
	if err != nil {
		return nil, err
	}
	steps := make([]traffic.Step, len(requests))
	for i, r := range requests {
		steps[i].Ask = func(w *world.World, sim *simulator.Simulator) (world.Asked, error) {
			return w.Ask(sim, r, l.requests.defaults())
		}
	}
	return append([]latency.Question{{Ask: latency.Last(ctx, steps)}}, all...), nil
}

// distributions returns the latencies of webhooks that the flags give.
func (l *latencyCommand) distributions(hooks []webhooks.Named, stderr io.Writer) (*latency.Latencies, error) {
	known := latency.NewLatencies(hooks)
	for _, text := range l.latencies {
		name, value, is := strings.Cut(text, "=")
		if !is || name == "" {
			return nil, badValue("--latency", text, "NAME=DISTRIBUTION, such as '*=p50:10ms,p99:200ms'")
		}
		d, err := latency.ParseDistribution(value)
		if err != nil {
			return nil, hinted(fmt.Errorf("--latency %s: %w", text, err), "such as --latency "+name+"=p50:10ms,p99:200ms")
		}
		if err := known.Assign(name, d); err != nil {
			return nil, flagged("--latency "+text, err)
		}
	}
	for _, text := range l.from {
		name, file, isNamed := strings.Cut(text, "=")
		switch {
		case !isNamed:
			name, file = "", text
		case name == "":
			return nil, badValue("--from", text, "FILE or NAME=FILE")
		}
		few, err := known.Read(name, file)
		for _, one := range few {
			fmt.Fprintf(stderr, "admsim: warning: --from %s: %s\n", text, one)
		}
		if unsure := (*latency.NotCalledError)(nil); errors.As(err, &unsure) {
			of := "NAME"
			if len(unsure.May) > 0 {
				of = unsure.May[0]
			}
			err = hinted(err, "say whose latencies they are: --from "+of+"="+file)
		}
		if err != nil {
			return nil, flagged("--from "+text, err)
		}
	}
	return known, nil
}
