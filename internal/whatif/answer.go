package whatif

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// Allowed reports whether the request was admitted.
func Allowed(r *simulator.Result) bool { return r.Allowed() }

// Message returns why a request was denied.
func Message(r *simulator.Result) string {
	if s := r.Status(); s != nil && !r.Allowed() {
		return s.Message
	}
	return ""
}

// Elapsed returns how long the server took for a request.
func Elapsed(r *simulator.Result) (sum time.Duration) {
	for _, a := range r.Admissions {
		sum += a.Elapsed
	}
	return sum
}

// Hooks iterates over the webhooks and policies in the trace of a request.
func Hooks(r *simulator.Result) iter.Seq2[trace.Step, trace.Hook] {
	return func(yield func(trace.Step, trace.Hook) bool) {
		for _, a := range r.Admissions {
			for _, step := range a.Steps {
				for _, h := range step.Hooks {
					if !yield(step, h) {
						return
					}
				}
			}
		}
	}
}

// IsAsked reports whether a webhook or policy was asked about a request.
func IsAsked(h trace.Hook) bool { return h.Outcome != trace.Skipped }

// A Called is a webhook, and how often it was called.
type Called struct {
	document.Actor // without a round
	N              int
}

// Calls returns the webhooks that were called for a request, of which there are few.
func Calls(r *simulator.Result) (all []Called) {
	for step, h := range Hooks(r) {
		if h.Called && IsWebhook(step) {
			all = called(all, step, h)
		}
	}
	return all
}

// Assumed returns the webhooks whose answers to a request were made up.
func Assumed(r *simulator.Result) (all []Called) {
	for step, h := range Hooks(r) {
		if IsWebhook(step) && slices.ContainsFunc(h.Calls, func(c trace.Call) bool { return c.Assumed != "" }) {
			all = called(all, step, h)
		}
	}
	return all
}

// called counts one more call.
func called(all []Called, step trace.Step, h trace.Hook) []Called {
	for i := range all {
		if all[i].Plugin == step.Plugin && all[i].Configuration == h.Configuration && all[i].Name == h.Name {
			all[i].N++
			return all
		}
	}
	return append(all, Called{Actor(step, h).InAnyRound(), 1})
}

// The parts in which similar messages differ.
var (
	quotedPart = regexp.MustCompile(`"[^"]*"`)
	numberPart = regexp.MustCompile(`\d+`)
)

// Shape returns a message without the names and numbers in it, so that similar messages become equal. A message of the
// server about a webhook keeps the name of the webhook.
func Shape(text string) string {
	head := ""
	if rest, ok := strings.CutPrefix(text, "admission webhook "); ok {
		if name := quotedPart.FindString(rest); name != "" {
			head = "admission webhook " + name
			text = strings.TrimPrefix(rest, name)
		}
	}
	text = quotedPart.ReplaceAllString(text, `"*"`)
	return head + numberPart.ReplaceAllString(text, "#")
}
