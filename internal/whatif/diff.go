package whatif

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/lazyregexp"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// What differs of calls and latencies.
const (
	more, fewer     = "more", "fewer"
	longer, shorter = "longer", "shorter"
)

// DiffOptions say how worlds are compared. All may be left out.
type DiffOptions struct {
	Jobs     int               // how many requests are run side by side; 0: 1
	Defaults scenario.Defaults // for what written requests leave open

	// Tolerance is the least difference in latency that counts. 0: 10ms.
	Tolerance time.Duration

	// Samples is how many requests each group names. 0: 3.
	Samples int

	// Make makes something of a request that changes, while others are answered; nil: nothing
	// is made. Each is called with every request that changes, in order, and what was made of it.
	Make func(*document.Changed) (any, error)
	Each func(c *document.Changed, made any) error

	Redactor *redact.Redactor // takes secrets out of what differs; nil: they are shown
}

// Diff runs a corpus in two worlds, and says what changes from base to head.
func Diff(ctx context.Context, base, head world.Maker, corpus traffic.Corpus, o DiffOptions) (*DiffResult, error) {
	if o.Tolerance == 0 {
		o.Tolerance = 10 * time.Millisecond
	}
	if o.Samples == 0 {
		o.Samples = 3
	}
	all := make([]*traffic.Runner, 2)
	for i, maker := range []world.Maker{base, head} {
		r, err := traffic.NewRunner(maker, o.Defaults)
		if err != nil {
			return nil, err
		}
		all[i] = r
	}
	sum := newGrouping(o.Samples)
	found := map[*traffic.Item]judged{} // of the items that are judged and not taken yet
	lock := make(chan struct{}, 1)
	judge := func(ctx context.Context, it *traffic.Item) {
		it.Answer(ctx, 0)
		it.Answer(ctx, 1)
		if it.Err() != nil {
			return
		}
		if j, changes := o.judge(it); changes {
			lock <- struct{}{}
			found[it] = j
			<-lock
		}
	}
	take := func(it *traffic.Item) error {
		lock <- struct{}{}
		j, changes := found[it]
		delete(found, it)
		<-lock
		sum.calls(it.Results[0], it.Results[1])
		if err := it.Err(); err != nil {
			sum.undecided(it, err)
			return nil
		}
		sum.result.Requests++
		if !changes {
			return nil
		}
		if j.err != nil {
			return j.err
		}
		sum.add(j.changed)
		if o.Each != nil {
			return o.Each(j.changed, j.made)
		}
		return nil
	}
	err := traffic.Run(ctx, corpus, traffic.Runners{All: all}, o.Jobs, judge, take)
	return sum.finish(), err
}

// A judged is a request that changes, and what was made of it.
type judged struct {
	changed *document.Changed
	made    any
	err     error // of making it
}

// judge compares the two answers that an item has.
func (o DiffOptions) judge(it *traffic.Item) (j judged, changes bool) {
	d := compare(it.Results[0], it.Results[1], o)
	hide(o.Redactor, it.Results[0], it.Results[1], d)
	if len(d) == 0 {
		return j, false
	}
	base := traffic.Answered{Request: it.Request, Asked: it.Asked[0], Result: it.Results[0]}
	head := traffic.Answered{Request: it.Request, Asked: it.Asked[1], Result: it.Results[1]}
	j.changed = NewChanged(base, head, d, o.Redactor)
	if o.Make != nil {
		j.made, j.err = o.Make(j.changed)
	}
	return j, true
}

// NewChanged is a request that changes. Its answers are only put into the form that is shown when somebody asks.
func NewChanged(base, head traffic.Answered, d []document.Difference, redactor *redact.Redactor) *document.Changed {
	return &document.Changed{
		Request: sampleOf(base.Asked, base.Request), Differences: d,
		Answers: func() (before, after *document.Answer, err error) {
			one := together(redactor, base.Result, head.Result)
			if before, err = answer.New(base.Asked, base.Result, document.Usual, one); err != nil {
				return nil, nil, err
			}
			after, err = answer.New(head.Asked, head.Result, document.Usual, one)
			return before, after, err
		},
		Objects: func() (before, after any) { return objectsOf(base.Result, head.Result, redactor) },
	}
}

// compare lists what differs between two answers to the same request.
func compare(base, head *simulator.Result, o DiffOptions) (all []document.Difference) {
	a, b := allowed(base), allowed(head)
	if !a || !b {
		o.Redactor = together(o.Redactor, base, head) // the two say the same of a secret
	}
	switch {
	case a && !b:
		all = append(all, document.Difference{Change: document.NewlyDenied, What: shape(said(o.Redactor, head)), By: decider(head), Base: "admitted", Head: o.denied(head)})
	case !a && b:
		all = append(all, document.Difference{Change: document.NewlyAllowed, What: shape(said(o.Redactor, base)), By: decider(base), Base: o.denied(base), Head: "admitted"})
	case !a:
		if unhashed(message(base), base) != unhashed(message(head), head) || base.Code != head.Code {
			all = append(all, document.Difference{Change: document.DifferentMessage, What: shape(said(o.Redactor, head)), By: decider(head), Base: o.denied(base), Head: o.denied(head)})
		}
	default:
		all = append(all, objectDifferences(base, head)...)
	}
	beside := slices.Concat(warningDifferences(base.Warnings, head.Warnings), callDifferences(base, head), o.latencyDifference(base, head))
	if a != b { // what the world that admits has more is what the other did not come to
		beside = slices.DeleteFunc(beside, func(d document.Difference) bool { return less(d) == a })
	}
	return append(all, beside...)
}

// less reports whether head has less than base of what comes with an answer.
func less(d document.Difference) bool {
	switch d.Change {
	case document.DifferentCalls:
		return d.What == fewer
	case document.DifferentLatency:
		return d.What == shorter
	}
	return d.Head == ""
}

func (o DiffOptions) latencyDifference(base, head *simulator.Result) []document.Difference {
	x, y := elapsed(base), elapsed(head)
	if (y - x).Abs() < o.Tolerance {
		return nil
	}
	what := longer
	if y < x {
		what = shorter
	}
	return []document.Difference{{Change: document.DifferentLatency, What: what, Base: x.String(), Head: y.String()}}
}

func (o DiffOptions) denied(r *simulator.Result) string {
	return fmt.Sprintf("denied (%d): %s", r.Code, said(o.Redactor, r))
}

// What differs from request to request in messages that are about the same.
var (
	quotedPart = lazyregexp.New(`"[^"]*"`)
	numberPart = lazyregexp.New(`\d+`)
)

// shape is a message without the names and numbers in it, so that those that are about the
// same fall together. What a server says of a webhook keeps the webhook's name.
func shape(text string) string {
	head := ""
	if rest, ok := strings.CutPrefix(text, "admission webhook "); ok {
		if name := quotedPart().FindString(rest); name != "" {
			head = "admission webhook " + name
			text = strings.TrimPrefix(rest, name)
		}
	}
	text = quotedPart().ReplaceAllString(text, `"*"`)
	return head + numberPart().ReplaceAllString(text, "#")
}

func warningDifferences(base, head []string) (all []document.Difference) {
	count := map[string]int{}
	for _, w := range head {
		count[w]++
	}
	for _, w := range base {
		count[w]--
	}
	for _, w := range head {
		if count[w] > 0 {
			all = append(all, document.Difference{Change: document.DifferentWarning, What: shape(w), Head: w})
			count[w] = 0
		}
	}
	for _, w := range base {
		if count[w] < 0 {
			all = append(all, document.Difference{Change: document.DifferentWarning, What: shape(w), Base: w})
			count[w] = 0
		}
	}
	return all
}

// callDifferences are webhooks that are called more or less often.
func callDifferences(base, head *simulator.Result) (all []document.Difference) {
	a, b := callsOf(base), callsOf(head)
	for _, c := range b {
		if n := countOf(a, c.Actor); n != c.n {
			all = append(all, callDifference(c.Actor, n, c.n))
		}
	}
	for _, c := range a {
		if countOf(b, c.Actor) == 0 {
			all = append(all, callDifference(c.Actor, c.n, 0))
		}
	}
	return all
}

func callDifference(by document.Actor, base, head int) document.Difference {
	what := more
	if head < base {
		what = fewer
	}
	return document.Difference{Change: document.DifferentCalls, What: what, By: by, Base: document.Calls(base), Head: document.Calls(head)}
}

// A called is how often a webhook was called. Few are, in one request.
type called struct {
	document.Actor
	n int
}

func callsOf(r *simulator.Result) (all []called) {
	for _, a := range r.Admissions {
		for _, step := range a.Steps {
			if !isWebhook(step) {
				continue
			}
			for _, h := range step.Hooks {
				if h.Called {
					all = count(all, step, h)
				}
			}
		}
	}
	return all
}

func count(all []called, step trace.Step, h trace.Hook) []called {
	for i := range all {
		if all[i].Plugin == step.Plugin && all[i].Configuration == h.Configuration && all[i].Name == h.Name {
			all[i].n++
			return all
		}
	}
	by := hookOf(step, h)
	by.Round = 0
	return append(all, called{by, 1})
}

func countOf(all []called, of document.Actor) int {
	for _, c := range all {
		if c.Configuration == of.Configuration && c.Name == of.Name && c.Plugin == of.Plugin {
			return c.n
		}
	}
	return 0
}
