package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/pkg/dependency"
	"github.com/admsim/admsim/pkg/recording"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/whatif"
	"github.com/admsim/admsim/pkg/world"
)

const latencyUsage = `latency says how long a request takes in admission, and how likely it is that a webhook is not answered
in time or that the request uses up its 34 seconds. How long webhooks take is drawn many times from
distributions, and each time the simulated server answers the request: mutating webhooks one after
the other, validating ones side by side, with timeouts, failure policies and second rounds.

Distributions are given as percentiles, p50:10ms,p99:200ms, with max:1s and fail:0.1% beside; between
them latencies are log-normal. Or they are taken from recordings of admsim record: what was recorded
for a webhook is found by the URL that was called, or said as NAME=FILE.

NAME is a webhook, a configuration, configuration/webhook, with * for any part of a name, or
svc/NAMESPACE/NAME for all webhooks behind a service.`

const latencyExample = `  admsim latency -C world/ -f pod.yaml --latency '*=p50:10ms,p99:200ms'
  admsim latency -C world/ -f pod.yaml --from recording.jsonl --latency istio*=p50:5ms,p95:40ms,max:10s`

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
		Use:     "latency [-C PATH]... -f PATH --latency NAME=DISTRIBUTION...",
		Short:   "Show how long a request takes, from the latencies of webhooks",
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
	flags.StringArrayVar(&l.latencies, "latency", nil, "how long webhooks called NAME take: `NAME=p50:10ms,p99:200ms`; repeatable, the first that fits counts")
	flags.StringArrayVar(&l.from, "from", nil, "`FILE` recorded by admsim record, or NAME=FILE, from which latencies are taken; repeatable")
	flags.IntVar(&l.ask.Samples, "samples", 10000, "how often to draw")
	flags.Uint64Var(&l.ask.Seed, "seed", 1, "what is drawn by: the same seed has the same result")
	flags.IntVarP(&l.ask.Jobs, "jobs", "j", 2, "how many are drawn side by side")
	return c
}

func (l *latencyCommand) run(ctx context.Context, paths []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := l.requests.check(); err != nil {
		return err
	}
	if len(l.latencies)+len(l.from) == 0 {
		return hinted(errors.New("no latency is given"), "say how long webhooks take, such as --latency '*=p50:10ms,p99:200ms', or --from a recording")
	}
	if l.ask.Samples < 1 {
		return fmt.Errorf("--samples %d: want at least 1", l.ask.Samples)
	}
	options := scenario.Options{Stdin: stdin}
	w, err := l.world.load(ctx, paths, options, stderr)
	if err != nil {
		return err
	}
	defer w.close(stderr)
	requests, err := l.requests.requests(w, options, stderr)
	if err != nil {
		return err
	}
	if l.ask.Of, err = l.distributions(whatif.Dependencies(w.Simulator())); err != nil {
		return err
	}
	ask := func(of *world.World) (world.Asked, error) {
		// Requests before the last one make the cluster that it finds.
		sim := of.Simulator()
		for _, r := range requests[:len(requests)-1] {
			asked, err := of.Ask(sim, r, l.requests.defaults())
			if err != nil {
				return asked, err
			}
			answer, err := asked.Answer(ctx)
			if err != nil {
				return asked, err
			}
			sim = answer.Next
		}
		return of.Ask(sim, requests[len(requests)-1], l.requests.defaults())
	}
	result, err := whatif.Latency(ctx, l.world.maker(w), ask, l.ask)
	if err != nil {
		return err
	}
	return writeWhatif(&l.output, stdout, report.NewLatency(result))
}

// distributions are those of the flags, by webhook.
func (l *latencyCommand) distributions(graph *dependency.Graph) (func(configuration, webhook string) (whatif.Distribution, bool), error) {
	known := map[string]whatif.Distribution{}
	for _, text := range l.latencies {
		name, value, _ := strings.Cut(text, "=")
		d, err := whatif.ParseDistribution(value)
		if err != nil {
			return nil, hinted(fmt.Errorf("--latency %s: %w", text, err), "such as --latency "+name+"=p50:10ms,p99:200ms")
		}
		if err := assign(graph, known, "--latency "+text, name, d); err != nil {
			return nil, err
		}
	}
	for _, text := range l.from {
		if err := readLatencies(graph, known, text); err != nil {
			return nil, err
		}
	}
	return func(configuration, webhook string) (whatif.Distribution, bool) {
		d, ok := known[configuration+"/"+webhook]
		return d, ok
	}, nil
}

// assign gives all webhooks of that name a distribution, unless they have one.
func assign(graph *dependency.Graph, known map[string]whatif.Distribution, flag, name string, d whatif.Distribution) error {
	var names []string
	fits := false
	for _, w := range graph.Webhooks() {
		names = append(names, w.Name)
		if !named(graph, w, name) {
			continue
		}
		fits = true
		if key := w.Configuration + "/" + w.Name; !has(known, key) {
			known[key] = d
		}
	}
	if !fits {
		return unknownWebhook(flag, name, names)
	}
	return nil
}

func has[V any](m map[string]V, key string) bool { _, ok := m[key]; return ok }

// readLatencies takes latencies from a recording.
func readLatencies(graph *dependency.Graph, known map[string]whatif.Distribution, text string) error {
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
		for _, w := range graph.Webhooks() {
			if key := w.Configuration + "/" + w.Name; !isNamed && calledAt(w, source) && !has(known, key) {
				known[key], fits = whatif.Observed(latencies), true
			}
		}
	}
	switch {
	case len(all) == 0:
		return fmt.Errorf("--from %s: no latency is recorded in it", text)
	case isNamed:
		return assign(graph, known, "--from "+text, name, whatif.Observed(all))
	case !fits:
		return hinted(fmt.Errorf("--from %s: what was called is no webhook of the cluster", text), "say whose latencies they are: --from NAME="+file)
	}
	return nil
}

// latenciesIn are the latencies in a recording, by the URL that was called.
func latenciesIn(file string) (map[string][]time.Duration, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	sources, err := recording.Find([]string{file}, nil)
	if err != nil {
		return nil, err
	}
	reader, err := recording.NewReader(sources, recording.Options{})
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
