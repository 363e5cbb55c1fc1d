package whatif

import (
	"context"
	"slices"
	"time"

	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// OutageOptions say what is asked. All may be left out.
type OutageOptions struct {
	Jobs     int // how many requests are run side by side; 0: 1
	Defaults scenario.Defaults
	Samples  int      // how many requests of a kind are named; 0: 20
	Healing  *Healing // what its corpus needs, where it is the corpus

	Redactor *redact.Redactor // takes secrets out of messages; nil: they are shown
}

// An OutageResult is what becomes of requests while webhooks are in trouble. All numbers
// are exact.
type OutageResult struct {
	Requests  int    // of the corpus, that could be answered
	Denied    Losses // of them without any trouble
	Undecided int
	Errors    []DiffError // of the undecided, the first few

	Outages   []OutageOf
	Deadlocks []document.Deadlock
	Budget    Budget
}

// An OutageOf is what becomes of requests in one situation.
type OutageOf struct {
	Situation Situation

	Asked     int // requests that a webhook in trouble is asked about
	Fail      Losses
	Unchecked Losses // let through, though a webhook in trouble did not look at them
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
	By      []document.Actor // who refuses it, or did not look at it
	Message string           // of the refusal
	Took    time.Duration
	Usually time.Duration

	// Ignored is set where the request fails though every webhook that did not answer is to
	// be ignored: they took all of its time.
	Ignored bool
}

// A Budget is how long the webhooks of a request may take together, at worst: the mutating
// ones one after the other, the validating ones side by side.
type Budget struct {
	Worst    document.Sample // the request for which it is most
	Serial   []TimeoutOf
	Parallel []TimeoutOf
	Sum      time.Duration
	Limit    time.Duration // of the request
	Over     int           // requests for which the sum is more than the limit
}

// A TimeoutOf is how long a webhook may take.
type TimeoutOf struct {
	Webhook document.Actor
	Timeout time.Duration
}

// Outage runs a corpus in a world while webhooks are in trouble, and looks for deadlocks.
// Each situation is one of its own.
func Outage(ctx context.Context, maker world.Maker, corpus traffic.Corpus, situations []Situation, o OutageOptions) (*OutageResult, error) {
	if o.Samples == 0 {
		o.Samples = 20
	}
	healthy, err := traffic.NewRunner(maker, o.Defaults)
	if err != nil {
		return nil, err
	}
	all := traffic.Runners{All: []*traffic.Runner{healthy}}
	run := &outage{OutageOptions: o, ctx: ctx, situations: situations, result: &OutageResult{}, tried: map[*traffic.Item][]*simulator.Result{}, lock: newLock()}
	for _, s := range situations {
		all.Trials = append(all.Trials, s.change)
		run.result.Outages = append(run.result.Outages, OutageOf{Situation: s})
	}
	if o.Healing != nil {
		if err := healthy.Change(o.Healing.in); err != nil {
			return nil, err
		}
	}
	err = traffic.Run(ctx, corpus, all, o.Jobs, run.judge, run.take)
	if run.world == nil { // there was no request
		run.enter(all.World())
	}
	return run.result, err
}

type outage struct {
	OutageOptions
	ctx        context.Context
	situations []Situation
	result     *OutageResult  // not for judge, which runs beside take
	world      *traffic.World // of the last item that was taken

	lock  lock
	tried map[*traffic.Item][]*simulator.Result // of the items that are not taken yet, a situation each
}

// judge answers a request as ever, and in every situation that matters to it.
func (r *outage) judge(ctx context.Context, it *traffic.Item) {
	it.Answer(ctx, 0)
	if it.Errs[0] != nil || !allowed(it.Results[0]) {
		return
	}
	calls := callsOf(it.Results[0])
	tried := make([]*simulator.Result, len(r.situations))
	for i, one := range r.situations {
		if !slices.ContainsFunc(calls, func(c called) bool { return one.affects(c.Plugin, c.Configuration, c.Name) }) {
			continue
		}
		if tried[i], it.Errs[0] = try(ctx, it, i); it.Errs[0] != nil {
			return
		}
	}
	r.lock.hold(func() { r.tried[it] = tried })
}

// try answers the request of an item as the first runner was asked it, in a trial.
func try(ctx context.Context, it *traffic.Item, trial int) (*simulator.Result, error) {
	asked := it.Asked[0]
	sim, err := it.World.Trial(trial, asked.Simulator.State())
	if err != nil {
		return nil, err
	}
	asked.Simulator = sim
	return asked.Answer(ctx)
}

func (r *outage) take(it *traffic.Item) error {
	var tried []*simulator.Result
	r.lock.hold(func() { tried = r.tried[it]; delete(r.tried, it) })
	r.enter(it.World)
	if err := it.Err(); err != nil {
		r.result.Undecided++
		r.result.Errors = withError(r.result.Errors, it, err)
		return nil
	}
	r.result.Requests++
	usual, sample := it.Results[0], sampleOf(it.Asked[0], it.Request)
	if !allowed(usual) {
		r.result.Denied.add(Loss{Request: sample, By: []document.Actor{decider(usual)}, Message: said(r.Redactor, usual)}, r.Samples)
		return nil
	}
	r.budget(it, usual, sample)
	for i, got := range tried {
		if got != nil {
			r.result.Outages[i].add(sample, usual, got, r.OutageOptions)
		}
	}
	return nil
}

// add counts what became of one request.
func (o *OutageOf) add(s document.Sample, usual, got *simulator.Result, options OutageOptions) {
	o.Asked++
	loss := Loss{Request: s, Took: elapsed(got), Usually: elapsed(usual)}
	o.Longest = max(o.Longest, loss.Took)
	failed := false
	eachHook(got, func(step trace.Step, h trace.Hook) {
		switch {
		case h.Outcome == trace.FailedOpen && o.Situation.affects(step.Plugin, h.Configuration, h.Name):
			by := hookOf(step, h)
			by.Round = 0
			if !slices.Contains(loss.By, by) {
				loss.By = append(loss.By, by)
			}
		case h.Outcome.Ends() && !o.Situation.ignores(step.Plugin, h.Configuration, h.Name):
			failed = true
		}
	})
	switch {
	case !allowed(got):
		loss.Message, loss.Ignored = said(options.Redactor, got), len(loss.By) > 0 && !failed
		if !loss.Ignored {
			loss.By = []document.Actor{decider(got)}
		}
		o.Fail.add(loss, options.Samples)
	case len(loss.By) > 0:
		o.Unchecked.add(loss, options.Samples)
	case loss.Took > loss.Usually:
		o.Delayed.add(loss, options.Samples)
	}
}

func (l *Losses) add(one Loss, samples int) {
	if l.Requests++; len(l.Samples) < samples {
		l.Samples = append(l.Samples, one)
	}
}

// budget takes note of how long the webhooks of a request may take.
func (r *outage) budget(it *traffic.Item, usual *simulator.Result, s document.Sample) {
	b := Budget{Worst: s, Limit: rest.Limit(it.Asked[0].API)}
	var longest time.Duration
	eachHook(usual, func(step trace.Step, h trace.Hook) {
		if !h.Called || !isWebhook(step) {
			return
		}
		one := TimeoutOf{hookOf(step, h), r.timeout(step, h)}
		if step.Plugin == mutatingWebhooks {
			b.Serial = append(b.Serial, one)
			b.Sum += one.Timeout
			return
		}
		b.Parallel = append(b.Parallel, one)
		longest = max(longest, one.Timeout)
	})
	b.Sum += longest
	over := r.result.Budget.Over
	if b.Limit > 0 && b.Sum > b.Limit {
		over++
	}
	if b.Sum > r.result.Budget.Sum {
		r.result.Budget = b
	}
	r.result.Budget.Over = over
}

// timeout is how long a webhook may take.
func (r *outage) timeout(step trace.Step, h trace.Hook) time.Duration {
	for _, w := range r.world.Dependencies().Webhooks() {
		if w.Mutating == (step.Plugin == mutatingWebhooks) && w.Configuration == h.Configuration && w.Name == h.Name {
			return time.Duration(w.Timeout()) * time.Second
		}
	}
	return 0
}
