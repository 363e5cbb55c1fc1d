package limits

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

const eventRateLimitName = "EventRateLimit"

// EventRateLimit limits how many events can be written (ERL-01 to ERL-06). It uses the engine's clock: where that
// stands still, buckets do not refill.
type EventRateLimit struct {
	limits []eventLimit
	now    func() time.Time
	all    bool // report all limits that are reached, not only the last one
}

// eventBuckets holds the buckets of every limit, as the plugin remembers them.
type eventBuckets []plugin.Recent[bucket]

func (p EventRateLimit) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	switch {
	case req.Kind.Group != "" || req.Kind.Kind != "Event":
		return plugin.Skip(step, "not an event of the core group"), nil // ERL-01
	case req.DryRun:
		return plugin.Skip(step, "a dry run"), nil // ERL-02
	}
	event, err := plugin.ObjectOf[*corev1.Event](req)
	if err != nil {
		return step, err
	}
	before, _ := s.Memory(eventRateLimitName).(eventBuckets)
	after := make(eventBuckets, len(p.limits))
	now := p.now().Add(req.Elapsed)
	var reached []string
	for i, limit := range p.limits { // every limit is charged, whatever the others decide (ERL-03)
		known := plugin.NewRecent[bucket](limit.CacheSize)
		if i < len(before) { // there may have been fewer limits then
			known = before[i]
		}
		key := limit.keyOf(req, event)
		b, ok := known.Get(key)
		if !ok {
			b = bucket{tokens: float64(limit.Burst), at: now}
		}
		b, ok = b.take(now, float64(limit.QPS), float64(limit.Burst))
		after[i] = known.With(key, b)
		if !ok {
			reached = append(reached, fmt.Sprintf("limit reached on type %v for key %v", limit.Type, key))
		}
	}
	step.Remember(after)
	if len(reached) == 0 {
		return plugin.Allow(step, "below all limits"), nil
	}
	text := reached[len(reached)-1] // earlier releases report this one only
	if len(reached) > 1 && p.all {
		text = "[" + strings.Join(reached, ", ") + "]"
	}
	step.Hint = "tokens come back with time: the engine's clock has to move between requests"
	return plugin.Deny(step, text, admission.StatusOf(apierrors.NewTooManyRequestsError(text))), nil
}

// keyOf returns the key of the limit's bucket that an event is charged to (ERL-04).
func (l eventLimit) keyOf(req admission.Request, event *corev1.Event) string {
	switch l.Type {
	case "Namespace":
		return req.Namespace
	case "User":
		return req.User.Username
	case "SourceAndObject":
		about := event.InvolvedObject
		return strings.Join([]string{
			event.Source.Component, event.Source.Host,
			about.Kind, about.Namespace, about.Name, string(about.UID), about.APIVersion,
		}, "")
	}
	return "" // Server
}

// A bucket holds a number of tokens at some moment. It refills with time.
type bucket struct {
	tokens float64
	at     time.Time
}

// take takes out a token, if there is one.
func (b bucket) take(now time.Time, qps, burst float64) (bucket, bool) {
	if now.After(b.at) {
		b.tokens = min(burst, b.tokens+now.Sub(b.at).Seconds()*qps)
		b.at = now
	}
	if b.tokens < 1 {
		return b, false
	}
	b.tokens--
	return b, true
}
