package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suitefile"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

const latencyUsage = `latency shows how long a request takes in admission, and how likely it is that a webhook times out or that
the request uses up its 34 seconds. It draws the latencies of webhooks many times from distributions, and
each time the simulated server answers the request: mutating webhooks one after the other, validating
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
	ask       whatif.LatencyOptions
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
	}
	l.world.add(c)
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
	options := l.output.reading(stdin)
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
	in, err := l.suites(options.Opened)
	if err != nil {
		return err
	}
	questions, err := l.questions(ctx, w, in, options, stderr)
	if err != nil {
		return err
	}
	if len(l.latencies)+len(l.from) == 0 && !anyLatency(w, in) {
		return hinted(errors.New("no latency is given"), "say how long webhooks take: --latency '*=p50:10ms,p99:200ms', --from a recording, or the latency of mocks")
	}
	hooks, err := webhooks(factory.Make, in)
	if err != nil {
		return err
	}
	if l.ask.Of, err = l.distributions(hooks, stderr); err != nil {
		return err
	}
	if err := l.output.ready(); err != nil {
		return err
	}
	result, err := whatif.Latency(ctx, factory.Make, questions, l.ask)
	if err != nil {
		return err
	}
	return writeWhatif(&l.output, stdout, document.NewLatency(result))
}

// anyLatency tells whether a mock says how long it takes.
func anyLatency(w *loaded, in corpusInput) bool {
	all := slices.Clone(w.Backends.Declared())
	for _, c := range in.cases {
		all = slices.Concat(all, c.key.Suite.Backends.List, c.key.Case.Override.Backends.List)
	}
	return slices.ContainsFunc(all, func(b scenario.Backend) bool {
		return slices.ContainsFunc(b.Answers, func(a scenario.Answer) bool { return a.Delay.Duration > 0 })
	})
}

// suites takes suites out of what -f names.
func (l *latencyCommand) suites(opened func(string)) (corpusInput, error) {
	var rest, suites []string
	for _, path := range l.requests.files {
		if suitefile.Holds(path) {
			suites = append(suites, path)
		} else {
			rest = append(rest, path)
		}
	}
	l.requests.files = rest
	return findCorpus(suites, opened)
}

// questions are the last request of what is not in suites, and the last one of every case.
// Those before it make the cluster that it finds.
func (l *latencyCommand) questions(ctx context.Context, w *loaded, in corpusInput, o scenario.Options, stderr io.Writer) (all []whatif.Question, err error) {
	for _, c := range in.cases {
		all = append(all, whatif.Question{Key: c.key, Ask: last(ctx, c.steps(l.requests.defaults()))})
	}
	if len(all) > 0 && len(l.requests.files) == 0 {
		return all, nil
	}
	requests, err := l.requests.requests(w, o, stderr)
	if err != nil {
		return nil, err
	}
	steps := make([]whatif.Step, len(requests))
	for i, r := range requests {
		steps[i].Ask = func(w *world.World, sim *simulator.Simulator) (world.Asked, error) {
			return w.Ask(sim, r, l.requests.defaults())
		}
	}
	return append([]whatif.Question{{Ask: last(ctx, steps)}}, all...), nil
}

// last asks the last of these requests, after those before it were answered.
func last(ctx context.Context, steps []whatif.Step) func(*world.World) (world.Asked, error) {
	return func(w *world.World) (world.Asked, error) {
		sim := w.Simulator()
		for _, step := range steps[:len(steps)-1] {
			asked, err := step.Ask(w, sim)
			if err != nil {
				return asked, err
			}
			answer, err := asked.Answer(ctx)
			if err != nil {
				return asked, err
			}
			sim = answer.Next
		}
		return steps[len(steps)-1].Ask(w, sim)
	}
}

// distributions are those of the flags, by webhook.
func (l *latencyCommand) distributions(hooks []whatif.NamedWebhook, stderr io.Writer) (func(configuration, webhook string) (whatif.Distribution, bool), error) {
	known := map[string]whatif.Distribution{}
	for _, text := range l.latencies {
		name, value, is := strings.Cut(text, "=")
		if !is || name == "" {
			return nil, badValue("--latency", text, "NAME=DISTRIBUTION, such as '*=p50:10ms,p99:200ms'")
		}
		d, err := whatif.ParseDistribution(value)
		if err != nil {
			return nil, hinted(fmt.Errorf("--latency %s: %w", text, err), "such as --latency "+name+"=p50:10ms,p99:200ms")
		}
		if err := assign(hooks, known, "--latency "+text, name, d); err != nil {
			return nil, err
		}
	}
	for _, text := range l.from {
		if err := readLatencies(hooks, known, text, stderr); err != nil {
			return nil, err
		}
	}
	return func(configuration, webhook string) (whatif.Distribution, bool) {
		d, ok := known[configuration+"/"+webhook]
		return d, ok
	}, nil
}

// assign gives all webhooks of that name a distribution, unless they have one.
func assign(hooks []whatif.NamedWebhook, known map[string]whatif.Distribution, flag, name string, d whatif.Distribution) error {
	fits := false
	for _, h := range hooks {
		if !h.Named(name) {
			continue
		}
		fits = true
		if key := h.Configuration + "/" + h.Name; !has(known, key) {
			known[key] = d
		}
	}
	if !fits {
		return unknownWebhook(flag, name, hooks)
	}
	return nil
}

func has[V any](m map[string]V, key string) bool { _, ok := m[key]; return ok }

// readLatencies takes latencies from a recording, and warns of those that are few.
func readLatencies(hooks []whatif.NamedWebhook, known map[string]whatif.Distribution, text string, stderr io.Writer) error {
	name, file, isNamed := strings.Cut(text, "=")
	if !isNamed {
		file = text
	}
	bySource, err := latenciesIn(file)
	if err != nil {
		return err
	}
	var all []time.Duration
	fits := false
	for source, latencies := range bySource {
		all = append(all, latencies...)
		for _, h := range hooks {
			if key := h.Configuration + "/" + h.Name; !isNamed && calledAt(h.Webhook, source) && !has(known, key) {
				known[key], fits = whatif.Observed(latencies), true
				warnOfFew(stderr, text, "of "+key, len(latencies))
			}
		}
	}
	switch {
	case len(all) == 0:
		return fmt.Errorf("--from %s: no latency is recorded in it", text)
	case isNamed:
		warnOfFew(stderr, text, "in it", len(all))
		return assign(hooks, known, "--from "+text, name, whatif.Observed(all))
	case !fits:
		return hinted(fmt.Errorf("--from %s: what was called is no webhook of the cluster", text), "say whose latencies they are: --from NAME="+file)
	}
	return nil
}

// warnOfFew warns that the highest percentile shown, p99.9, is no more than the slowest of n
// latencies.
func warnOfFew(stderr io.Writer, from, whose string, n int) {
	if n < 1000 {
		fmt.Fprintf(stderr, "admsim: warning: --from %s: latencies recorded %s: %d; above p%.3g, percentiles are the slowest of them\n",
			from, whose, n, 100*(1-1/float64(n)))
	}
}

// latenciesIn are the latencies in a recording, by the URL that was called.
func latenciesIn(file string) (map[string][]time.Duration, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	reader, err := openRecording([]string{file}, nil, recording.Options{})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	all := map[string][]time.Duration{}
	for {
		r, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if r.Form == recording.Recorded && r.Latency > 0 {
			all[r.Webhook] = append(all[r.Webhook], r.Latency)
		}
	}
}

// calledAt tells whether a webhook is called at a URL, which may have the path only.
func calledAt(w *dependency.Webhook, source string) bool {
	at, err := url.Parse(source)
	if err != nil {
		return false
	}
	if s := w.ClientConfig.Service; s != nil {
		path := "/"
		if s.Path != nil {
			path = *s.Path
		}
		host := at.Hostname()
		return (host == "" || host == s.Name+"."+s.Namespace+".svc") && strings.TrimSuffix(at.Path, "/") == strings.TrimSuffix(path, "/")
	}
	if w.ClientConfig.URL == nil {
		return false
	}
	to, err := url.Parse(*w.ClientConfig.URL)
	return err == nil && (at.Host == "" || at.Host == to.Host) && at.Path == to.Path
}
