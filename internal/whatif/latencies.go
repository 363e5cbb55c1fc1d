package whatif

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/recording"
)

// ErrNotCalled is the error of a recording of calls to others than the webhooks.
var ErrNotCalled = errors.New("what was called is no webhook of the cluster")

// Latencies are how long the webhooks that users can name take to answer.
type Latencies struct {
	hooks []NamedWebhook
	known map[string]Distribution // by configuration/webhook
}

// NewLatencies returns latencies of none of the webhooks.
func NewLatencies(hooks []NamedWebhook) *Latencies {
	return &Latencies{hooks, map[string]Distribution{}}
}

// Of is the distribution of a webhook, if it has one.
func (l *Latencies) Of(configuration, webhook string) (Distribution, bool) {
	d, ok := l.known[configuration+"/"+webhook]
	return d, ok
}

// Assign gives all webhooks that a pattern names a distribution, unless they have one.
func (l *Latencies) Assign(pattern string, d Distribution) error {
	fits := false
	for _, h := range l.hooks {
		if h.Named(pattern) {
			fits = true
			l.give(h, d)
		}
	}
	if !fits {
		return UnknownWebhook(pattern, l.hooks)
	}
	return nil
}

// give gives a webhook a distribution, and reports whether it had none.
func (l *Latencies) give(h NamedWebhook, d Distribution) bool {
	key := h.Configuration + "/" + h.Name
	if _, ok := l.known[key]; ok {
		return false
	}
	l.known[key] = d
	return true
}

// Read takes latencies from a recording: those of the webhooks that a pattern names, or without a pattern,
// those of each webhook from the calls of its URL. It reports latencies that are few.
func (l *Latencies) Read(pattern, file string) (few []string, err error) {
	bySource, err := latenciesIn(file)
	if err != nil {
		return nil, err
	}
	var all []time.Duration
	fits := false
	for _, source := range slices.Sorted(maps.Keys(bySource)) {
		latencies := bySource[source]
		all = append(all, latencies...)
		for _, h := range l.hooks {
			if pattern == "" && calledAt(h.Webhook, source) && l.give(h, observed(latencies)) {
				fits = true
				few = append(few, aboutFew("of "+h.Configuration+"/"+h.Name, len(latencies))...)
			}
		}
	}
	switch {
	case len(all) == 0:
		return few, errors.New("no latency is recorded in it")
	case pattern != "":
		return aboutFew("in it", len(all)), l.Assign(pattern, observed(all))
	case !fits:
		return few, ErrNotCalled
	}
	return few, nil
}

// aboutFew says that the highest percentile shown, p99.9, is no more than the slowest of n latencies.
func aboutFew(whose string, n int) []string {
	if n >= 1000 {
		return nil
	}
	return []string{fmt.Sprintf("latencies recorded %s: %d; above p%.3g, percentiles are the slowest of them", whose, n, 100*(1-1/float64(n)))}
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

// calledAt reports whether a webhook is called at a URL, which may have the path only.
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
