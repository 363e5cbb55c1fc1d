package latency

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/recording/callee"
	"github.com/admsim/admsim/internal/whatif/webhooks"
)

// A NotCalledError says that the calls in a recording cannot be assigned to webhooks of the cluster.
type NotCalledError struct {
	Address string   // the address that was called; empty: not recorded
	May     []string // the webhooks that may have been called; empty: none
}

func (e *NotCalledError) Error() string {
	what := e.Address
	if what == "" {
		what = "what was called"
	}
	if len(e.May) == 0 {
		return what + " is not a webhook of the cluster"
	}
	return what + " may be " + strings.Join(e.May, " or ")
}

// Latencies holds how long webhooks take to answer, for webhooks that users can name.
type Latencies struct {
	hooks []webhooks.Named
	known map[string]Distribution // by configuration/webhook
}

// NewLatencies returns latencies without any distribution.
func NewLatencies(hooks []webhooks.Named) *Latencies {
	return &Latencies{hooks, map[string]Distribution{}}
}

// Of returns the distribution of a webhook, if it has one.
func (l *Latencies) Of(configuration, webhook string) (Distribution, bool) {
	d, ok := l.known[configuration+"/"+webhook]
	return d, ok
}

// Assign assigns a distribution to all webhooks that match a pattern and have none yet. There must be one, unless the
// pattern is *.
func (l *Latencies) Assign(pattern string, d Distribution) error {
	fits := pattern == "*"
	for _, h := range l.hooks {
		if h.Matches(pattern) {
			fits = true
			l.give(h, d)
		}
	}
	if !fits {
		return webhooks.Unknown(pattern, l.hooks)
	}
	return nil
}

// give assigns a distribution to a webhook, and reports whether it had none.
func (l *Latencies) give(h webhooks.Named, d Distribution) bool {
	key := h.Configuration + "/" + h.Name
	if _, ok := l.known[key]; ok {
		return false
	}
	l.known[key] = d
	return true
}

// Read takes latencies from a recording: all latencies for the webhooks that match the pattern, or, if the pattern is
// empty, those of its own calls for each webhook. It returns a note for each set of latencies that is too small.
func (l *Latencies) Read(pattern, file string) (few []string, err error) {
	var all []time.Duration
	var unsure *NotCalledError
	byHook := map[int][]time.Duration{}
	candidates := l.callees()
	err = eachLatency(file, func(r *recording.Record) {
		all = append(all, r.Latency)
		if pattern != "" {
			return
		}
		called, evidence := callee.Of(r, candidates)
		if evidence == callee.None || !alike(called) {
			if unsure == nil {
				unsure = notCalled(r, called, evidence)
			}
			return
		}
		for _, w := range called {
			i := slices.IndexFunc(l.hooks, func(h webhooks.Named) bool { return h.String() == w.String() && h.Mutating == w.Mutating })
			byHook[i] = append(byHook[i], r.Latency)
		}
	})
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, errors.New("no latency is recorded in it")
	case pattern != "":
		return aboutFew("in it", len(all)), l.Assign(pattern, observed(all))
	}
	for _, i := range slices.Sorted(maps.Keys(byHook)) {
		if h := l.hooks[i]; l.give(h, observed(byHook[i])) {
			few = append(few, aboutFew("of "+h.Configuration+"/"+h.Name, len(byHook[i]))...)
		}
	}
	if unsure != nil && len(byHook) == 0 {
		return few, unsure
	}
	return few, nil
}

func (l *Latencies) callees() []callee.Webhook {
	all := make([]callee.Webhook, len(l.hooks))
	for i, h := range l.hooks {
		all[i] = callee.Webhook{Configuration: h.Configuration, Mutating: h.Mutating, ValidatingWebhook: h.ValidatingWebhook}
	}
	return all
}

// alike reports whether webhooks have the same address, and so the same server, which takes equally long for each of
// them.
func alike(hooks []callee.Webhook) bool {
	for _, w := range hooks {
		a, b := w.ClientConfig, hooks[0].ClientConfig
		a.CABundle, b.CABundle = nil, nil
		if !reflect.DeepEqual(a, b) {
			return false
		}
	}
	return true
}

func notCalled(r *recording.Record, called []callee.Webhook, evidence callee.Evidence) *NotCalledError {
	e := &NotCalledError{}
	e.Address, _, _ = strings.Cut(r.Webhook, "?")
	if evidence > callee.None {
		for _, w := range called {
			e.May = append(e.May, w.String())
		}
	}
	return e
}

// aboutFew notes that the highest percentile shown, p99.9, is only the slowest of n latencies.
func aboutFew(whose string, n int) []string {
	if n >= 1000 {
		return nil
	}
	return []string{fmt.Sprintf("latencies recorded %s: %d; above p%.3g, percentiles are the slowest of them", whose, n, 100*(1-1/float64(n)))}
}

// eachLatency calls do for the calls of a recording whose latency is known.
func eachLatency(file string, do func(*recording.Record)) error {
	if _, err := os.Stat(file); err != nil {
		return err
	}
	sources, err := recording.Find([]string{file}, nil, nil)
	if err != nil {
		return err
	}
	reader, err := recording.NewReader(sources, recording.Options{})
	if err != nil {
		return err
	}
	defer reader.Close()
	for {
		r, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if r.Form == recording.Recorded && r.Latency > 0 {
			do(r)
		}
	}
}
