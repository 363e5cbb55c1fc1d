// Package outage finds what breaks when webhooks do not answer: which requests fail, which pass unchecked, how long
// they take, and which webhooks prevent their own pods from coming back.
//
// Start with [Run]. Package trouble describes what is wrong with the webhooks.
package outage

import (
	"context"
	"slices"
	"time"

	"github.com/admsim/admsim/internal/answer/secrets"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/trouble"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// Options says what is examined. All fields are optional.
type Options struct {
	Jobs     int // how many requests are run concurrently; 0: 1
	Defaults scenario.Defaults
	Samples  int                 // how many requests of a kind are named; 0: 20
	Objects  []scenario.Manifest // that the corpus needs, in addition to those of the world

	Redactor *redact.Redactor // hides secrets in messages; nil: they are shown
}

// A Result says what happens to requests while webhooks are in trouble. All numbers are exact.
type Result struct {
	Requests  int    // requests of the corpus that could be answered
	Denied    Losses // those denied without any trouble
	Undecided int
	Errors    []whatif.RequestError // of undecided requests, the first few

	Outages   []Outcome // by situation
	Deadlocks []document.Deadlock
	Budget    Budget

	Assumed []document.Actor // webhooks that were called and have no backend, in the order of the first calls
}

// An Outcome says what happens to requests in one situation.
type Outcome struct {
	Situation trouble.Situation

	Asked     int // requests that a webhook in trouble is asked about
	Fail      Losses
	Unchecked Losses // admitted, although a webhook in trouble did not check them
	Delayed   Losses // neither; they only take longer

	Longest time.Duration // that a request takes
}

// Losses are requests to which the same happens.
type Losses struct {
	Requests int
	Samples  []Loss
}

// A Loss is what happens to one request.
type Loss struct {
	Request document.Sample
	By      []document.Actor // who refuses it, or did not check it
	Message string           // of the refusal
	Took    time.Duration
	Usually time.Duration

	// Ignored is set if the request fails although the failures of all webhooks that did not answer are ignored: they
	// took all of its time.
	Ignored bool
}

// Run runs a corpus in a world while webhooks are in trouble, and looks for deadlocks. The situations are independent
// of each other.
func Run(ctx context.Context, maker world.Maker, corpus traffic.Corpus, situations []trouble.Situation, o Options) (*Result, error) {
	if o.Samples == 0 {
		o.Samples = 20
	}
	healthy, err := traffic.NewRunner(maker, o.Defaults)
	if err != nil {
		return nil, err
	}
	all := traffic.Runners{All: []*traffic.Runner{healthy}}
	r := &run{Options: o, ctx: ctx, situations: situations, result: &Result{}}
	for _, s := range situations {
		all.Trials = append(all.Trials, s.Change)
		r.result.Outages = append(r.result.Outages, Outcome{Situation: s})
	}
	if err := healthy.Add(o.Objects); err != nil {
		return nil, err
	}
	err = traffic.Run(ctx, corpus, all, o.Jobs, r.judge, r.take)
	if r.world == nil { // there were no requests
		r.enter(all.World())
	}
	return r.result, err
}

type run struct {
	Options
	ctx        context.Context
	situations []trouble.Situation
	result     *Result        // not used by judge, which runs concurrently with take
	world      *traffic.World // of the last item that was taken
}

// judge answers a request as usual, and in every situation that matters to it. It returns the answers in these
// situations, and nil for the others.
func (r *run) judge(ctx context.Context, it *traffic.Item) (tried []*simulator.Result) {
	it.Answer(ctx, 0)
	if it.Errs[0] != nil || !whatif.Allowed(it.Results[0]) {
		return nil
	}
	tried = make([]*simulator.Result, len(r.situations))
	for i, one := range r.situations {
		if !asks(it.Results[0], one) {
			continue
		}
		if tried[i], it.Errs[0] = try(ctx, it, i); it.Errs[0] != nil {
			return nil
		}
	}
	return tried
}

// asks reports whether a webhook that is in trouble in a situation was asked about a request.
func asks(r *simulator.Result, one trouble.Situation) bool {
	for step, h := range whatif.Hooks(r) {
		if h.Called && (whatif.IsWebhook(step) || whatif.IsConversion(step)) && one.Affects(step.Plugin, h.Configuration, h.Name) {
			return true
		}
	}
	return false
}

// try answers the request of an item, as the first runner was asked it, in a trial.
func try(ctx context.Context, it *traffic.Item, trial int) (*simulator.Result, error) {
	asked := it.Asked[0]
	sim, err := it.World.Trial(trial, asked.Simulator.State())
	if err != nil {
		return nil, err
	}
	asked.Simulator = sim
	return asked.Answer(ctx)
}

func (r *run) take(it *traffic.Item, tried []*simulator.Result) error {
	r.enter(it.World)
	if err := it.Err(); err != nil {
		r.result.Undecided++
		r.result.Errors = whatif.WithError(r.result.Errors, whatif.RequestError{Request: it.Sample(it.Asked[0]), Err: err})
		return nil
	}
	r.result.Requests++
	usual, sample := it.Results[0], it.Sample(it.Asked[0])
	for _, c := range whatif.Assumed(usual) {
		if !slices.Contains(r.result.Assumed, c.Actor) {
			r.result.Assumed = append(r.result.Assumed, c.Actor)
		}
	}
	if !whatif.Allowed(usual) {
		r.result.Denied.add(Loss{Request: sample, By: []document.Actor{whatif.Decider(usual)}, Message: secrets.Denial(r.Redactor, usual)}, r.Samples)
		return nil
	}
	r.budget(it, usual, sample)
	for i, got := range tried {
		if got != nil {
			r.result.Outages[i].add(sample, usual, got, r.Options)
		}
	}
	return nil
}

// add counts the outcome of one request.
func (o *Outcome) add(s document.Sample, usual, got *simulator.Result, options Options) {
	o.Asked++
	loss := Loss{Request: s, Took: whatif.Elapsed(got), Usually: whatif.Elapsed(usual)}
	o.Longest = max(o.Longest, loss.Took)
	failed := false
	for step, h := range whatif.Hooks(got) {
		switch {
		case h.Outcome == trace.FailedOpen && o.Situation.Affects(step.Plugin, h.Configuration, h.Name):
			if by := whatif.Actor(step, h).InAnyRound(); !slices.Contains(loss.By, by) {
				loss.By = append(loss.By, by)
			}
		case h.Outcome.Ends() && !o.Situation.Ignores(step.Plugin, h.Configuration, h.Name):
			failed = true
		}
	}
	switch {
	case !whatif.Allowed(got):
		loss.Message, loss.Ignored = secrets.Denial(options.Redactor, got), len(loss.By) > 0 && !failed
		if !loss.Ignored {
			loss.By = []document.Actor{o.decider(usual, got)}
		}
		o.Fail.add(loss, options.Samples)
	case len(loss.By) > 0:
		o.Unchecked.add(loss, options.Samples)
	case loss.Took > loss.Usually:
		o.Delayed.add(loss, options.Samples)
	}
}

// decider returns who made a request fail. A conversion may fail before or after admission, where there is no step;
// then it is one of the conversions that the request needs.
func (o *Outcome) decider(usual, got *simulator.Result) document.Actor {
	by := whatif.Decider(got)
	if by != (document.Actor{}) {
		return by
	}
	for step, h := range whatif.Hooks(usual) {
		if whatif.IsConversion(step) && o.Situation.Affects(step.Plugin, h.Configuration, h.Name) {
			return whatif.Actor(step, h)
		}
	}
	return by
}

func (l *Losses) add(one Loss, samples int) {
	if l.Requests++; len(l.Samples) < samples {
		l.Samples = append(l.Samples, one)
	}
}
