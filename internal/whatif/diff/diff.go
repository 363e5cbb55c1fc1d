// Package diff finds what changes for the requests of a corpus from one world to another: which are newly denied or
// admitted, which objects, messages, warnings and calls differ, and how much longer requests take.
//
// Start with [Run]. Requests that change in the same way form a group; all numbers are exact.
package diff

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/answer/secrets"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/fields"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

// How calls and latencies differ.
const (
	more, fewer     = "more", "fewer"
	longer, shorter = "longer", "shorter"
)

// Options says how worlds are compared. All fields are optional.
type Options struct {
	Jobs     int               // how many requests are run concurrently; 0: 1
	Defaults scenario.Defaults // for what written requests leave open

	// Tolerance is the smallest difference in latency that counts. 0: 10ms.
	Tolerance time.Duration

	// Samples is how many requests each group names. 0: 3.
	Samples int

	// Make derives a value from a request that changes, while others are answered; it may be nil. Each is called, in
	// order, with every request that changes and the result of Make.
	Make func(*document.Changed) (any, error)
	Each func(c *document.Changed, made any) error

	Redactor *redact.Redactor // hides secrets in differences; nil: they are shown

	// Changed lists the webhooks and policies that differ. The result says which of them no request reached.
	Changed []document.Actor

	// Counts reports whether a difference counts; nil: all do.
	Counts func(document.Difference) bool
	// Answered is called, in order, with every request that both worlds answered, and its differences; may be nil.
	Answered func(*traffic.Item, []document.Difference)
}

// Run runs a corpus in two worlds, and returns what changes from base to head.
func Run(ctx context.Context, base, head world.Maker, corpus traffic.Corpus, o Options) (*Result, error) {
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
	sum := newGrouping(o.Samples, o.Changed)
	judge := func(ctx context.Context, it *traffic.Item) *judged {
		it.Answer(ctx, 0)
		it.Answer(ctx, 1)
		if it.Err() != nil {
			return nil
		}
		return o.judge(ctx, it)
	}
	take := func(it *traffic.Item, j *judged) error {
		sum.calls(it.Results[0], it.Results[1])
		sum.reach(it.Results[0], it.Results[1])
		if err := it.Err(); err != nil {
			sum.undecided(it, err)
			return nil
		}
		sum.result.Requests++
		if o.Answered != nil {
			var d []document.Difference
			if j != nil {
				d = j.changed.Differences
			}
			o.Answered(it, d)
		}
		if j == nil {
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

// A judged is a request that changes, with the result of Make.
type judged struct {
	changed *document.Changed
	made    any
	err     error // from Make
}

// judge compares the two answers of an item; nil: nothing changes.
func (o Options) judge(ctx context.Context, it *traffic.Item) *judged {
	d := compare(it.Results[0], it.Results[1], o)
	if o.Counts != nil {
		d = slices.DeleteFunc(d, func(one document.Difference) bool { return !o.Counts(one) })
	}
	hide(o.Redactor, it.Results[0], it.Results[1], d)
	if len(d) == 0 {
		return nil
	}
	o.explain(ctx, it, d)
	base := traffic.Answered{Request: it.Request, Asked: it.Asked[0], Result: it.Results[0]}
	head := traffic.Answered{Request: it.Request, Asked: it.Asked[1], Result: it.Results[1]}
	j := &judged{changed: NewChanged(base, head, d, o.Redactor)}
	if o.Make != nil {
		j.made, j.err = o.Make(j.changed)
	}
	return j
}

// explain adds why a newly allowed request is no longer refused.
func (o Options) explain(ctx context.Context, it *traffic.Item, all []document.Difference) {
	for i := range all {
		if d := &all[i]; d.Change == document.NewlyAllowed {
			if why := whatif.NoObjection(ctx, it.Asked[1].Simulator, it.Results[1], d.By); why != "" {
				if pass := secrets.Of(o.Redactor, it.Results[0], it.Results[1]); pass != nil {
					why = pass.Text(why)
				}
				d.Because = why
			}
		}
	}
}

// NewChanged describes a request that changes. Its answers are converted to the form that is shown only when they are
// needed.
func NewChanged(base, head traffic.Answered, d []document.Difference, redactor *redact.Redactor) *document.Changed {
	return &document.Changed{
		Request: base.Request.Sample(base.Asked), Differences: d,
		Answers: func() (before, after *document.Answer, err error) {
			one := secrets.Together(redactor, base.Result, head.Result)
			if before, err = answer.New(base.Asked, base.Result, document.Usual, one); err != nil {
				return nil, nil, err
			}
			after, err = answer.New(head.Asked, head.Result, document.Usual, one)
			return before, after, err
		},
		Objects: func() (before, after any) { return objectsOf(base.Result, head.Result, redactor) },
	}
}

// compare returns the differences between two answers to the same request.
func compare(base, head *simulator.Result, o Options) (all []document.Difference) {
	a, b := whatif.Allowed(base), whatif.Allowed(head)
	if !a || !b {
		o.Redactor = secrets.Together(o.Redactor, base, head) // the same word replaces a secret in both
	}
	switch {
	case a && !b:
		all = append(all, document.Difference{Change: document.NewlyDenied, What: whatif.Shape(secrets.Denial(o.Redactor, head)), By: whatif.Decider(head), Base: "admitted", Head: o.denied(head)})
	case !a && b:
		all = append(all, document.Difference{Change: document.NewlyAllowed, What: whatif.Shape(secrets.Denial(o.Redactor, base)), By: whatif.Decider(base), Base: o.denied(base), Head: "admitted"})
	case !a:
		if !sameDenial(base, head) {
			all = append(all, document.Difference{Change: document.DifferentMessage, What: whatif.Shape(secrets.Denial(o.Redactor, head)), By: whatif.Decider(head), Base: o.denied(base), Head: o.denied(head)})
		}
	default:
		all = append(all, objectDifferences(base, head)...)
	}
	beside := slices.Concat(warningDifferences(base.Warnings, head.Warnings), callDifferences(base, head), o.latencyDifference(base, head))
	if a != b { // the world that admits may have more only because the other did not get that far
		beside = slices.DeleteFunc(beside, func(d document.Difference) bool { return less(d) == a })
	}
	return append(all, beside...)
}

// sameDenial reports whether both worlds deny a request in the same way: with the same answer, or, if it is
// undetermined which answer the server gives, with any of the same answers.
func sameDenial(base, head *simulator.Result) bool {
	a, b := denials(base), denials(head)
	if a[0] == b[0] {
		return true
	}
	missing := func(all []denial) func(denial) bool {
		return func(one denial) bool { return !slices.Contains(all, one) }
	}
	return !slices.ContainsFunc(a, missing(b)) && !slices.ContainsFunc(b, missing(a))
}

// A denial holds the compared parts of a denial.
type denial struct {
	code    int
	message string
}

// denials returns the possible denials of a request, the actual one first.
func denials(r *simulator.Result) []denial {
	question := sent(r)
	all := []denial{denialOf(r, question)}
	for _, other := range r.Alternatives {
		all = append(all, denialOf(&simulator.Result{Response: other}, question))
	}
	return all
}

func denialOf(r *simulator.Result, question runtime.Object) denial {
	return denial{r.Code, fields.Unhashed(whatif.Message(r), question)}
}

// less reports whether a difference means that head has less of something than base.
func less(d document.Difference) bool {
	switch d.Change {
	case document.DifferentCalls:
		return d.What == fewer
	case document.DifferentLatency:
		return d.What == shorter
	}
	return d.Head == ""
}

func (o Options) latencyDifference(base, head *simulator.Result) []document.Difference {
	x, y := whatif.Elapsed(base), whatif.Elapsed(head)
	if (y - x).Abs() < o.Tolerance {
		return nil
	}
	what := longer
	if y < x {
		what = shorter
	}
	return []document.Difference{{Change: document.DifferentLatency, What: what, Base: x.String(), Head: y.String()}}
}

func (o Options) denied(r *simulator.Result) string {
	return fmt.Sprintf("denied (%d): %s", r.Code, secrets.Denial(o.Redactor, r))
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
			all = append(all, document.Difference{Change: document.DifferentWarning, What: whatif.Shape(w), Head: w})
			count[w] = 0
		}
	}
	for _, w := range base {
		if count[w] < 0 {
			all = append(all, document.Difference{Change: document.DifferentWarning, What: whatif.Shape(w), Base: w})
			count[w] = 0
		}
	}
	return all
}

// callDifferences returns the webhooks that are called more or less often.
func callDifferences(base, head *simulator.Result) (all []document.Difference) {
	a, b := whatif.Calls(base), whatif.Calls(head)
	for _, c := range b {
		if n := countOf(a, c.Actor); n != c.N {
			all = append(all, callDifference(c.Actor, n, c.N))
		}
	}
	for _, c := range a {
		if countOf(b, c.Actor) == 0 {
			all = append(all, callDifference(c.Actor, c.N, 0))
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

func countOf(all []whatif.Called, of document.Actor) int {
	for _, c := range all {
		if c.Configuration == of.Configuration && c.Name == of.Name && c.Plugin == of.Plugin {
			return c.N
		}
	}
	return 0
}
