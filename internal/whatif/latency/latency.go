// Package latency estimates how long requests take in admission, given how long webhooks take to answer, and how likely
// it is that a webhook is too late.
//
// Start with [Run]. [Latencies] holds what flags and recordings say about the webhooks: a [Distribution] for each.
package latency

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/splitmix"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// Options says how latencies are sampled.
type Options struct {
	// Of returns how long a webhook takes; false: as long as its backend says.
	Of      func(configuration, webhook string) (Distribution, bool)
	Samples int // 0: 10000
	Jobs    int // how many run concurrently; 0: 1
	Seed    uint64
}

// A Result says how long one of the requests takes. Everything was sampled Samples times; with 95 % confidence, the
// true value is between Low and High, as far as the sampling error is concerned.
type Result struct {
	Request  document.Sample // the first of them
	Requests int
	Samples  int
	Seed     uint64

	Total  []Percentile // of the time in admission
	Mean   time.Duration
	Phases []Phase

	Timeout  Chance // that a webhook does not answer in time
	Over     Chance // that the request has no time left
	Limit    time.Duration
	Fails    Chance // that the request is refused, although it is admitted if all webhooks are fast
	Open     Chance // that it passes although not all webhooks checked it
	Webhooks []Webhook
}

// A Phase is the time that a phase takes.
type Phase struct {
	Phase trace.Phase
	Total []Percentile
}

// A Webhook is the share of one webhook.
type Webhook struct {
	Webhook  document.Actor
	Calls    float64 // per request, on average
	Known    bool    // its distribution was given
	Total    []Percentile
	Timeouts Chance // of its calls
	// Decides is how often it is the slowest of the webhooks that are called concurrently.
	Decides Chance
}

// Run repeatedly samples the latencies of webhooks, and has the server answer a request with them: with its timeouts
// and failure policies, the webhooks that it calls again, and those that it calls concurrently. If there are several
// requests, each is sampled equally often.
func Run(ctx context.Context, maker world.Maker, requests []Question, o Options) (*Result, error) {
	if o.Samples == 0 {
		o.Samples = 10000
	}
	o.Jobs = max(o.Jobs, 1)
	all := &draws{one: make([]draw, o.Samples)}
	r := &Result{Samples: o.Samples, Seed: o.Seed, Limit: requestLimit}
	requests, err := all.usual(ctx, maker, requests, r)
	if err != nil {
		return nil, err
	}
	errs := make([]error, o.Jobs)
	var workers sync.WaitGroup
	for job := range o.Jobs {
		workers.Go(func() { errs[job] = o.draw(ctx, maker, requests, job, all) })
	}
	workers.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	all.result(o, r)
	return r, nil
}

// usual answers the requests as usual, and leaves out those that do not reach admission.
func (d *draws) usual(ctx context.Context, maker world.Maker, requests []Question, r *Result) (come []Question, err error) {
	var early error // of the last request that does not reach admission
	for _, q := range requests {
		asked, err := q.in(maker, nil)
		if err != nil {
			return nil, err
		}
		result, err := asked.Answer(ctx)
		if err != nil {
			return nil, err
		}
		if len(result.Admissions) == 0 {
			early = asked.NotAdmitted(result)
			continue
		}
		if come = append(come, q); len(come) == 1 {
			r.Request = traffic.Request{Written: &asked.From}.Sample(asked)
		}
		d.allowed = append(d.allowed, whatif.Allowed(result))
	}
	if len(come) == 0 && early != nil {
		return nil, early
	}
	r.Requests = len(come)
	return come, nil
}

// draw computes every Jobs'th sample.
func (o Options) draw(ctx context.Context, maker world.Maker, requests []Question, job int, into *draws) error {
	refusing, err := dispatch.NewMock(nil, dispatch.Answer{Fault: dispatch.Refuse})
	if err != nil {
		return err
	}
	d := &sampler{options: o, refusing: refusing}
	asked := make([]world.Asked, len(requests))
	for i, q := range requests {
		if asked[i], err = q.in(maker, d.change); err != nil {
			return err
		}
	}
	for i := job; i < o.Samples; i += o.Jobs {
		d.sample = uint64(i)
		result, err := asked[i%len(asked)].Answer(ctx)
		if err != nil {
			return err
		}
		into.one[i] = drawOf(result)
	}
	return nil
}

// A sampler makes webhooks take as long as is drawn for the sample. The latency depends only on the seed, the sample,
// the webhook and how often it was called.
type sampler struct {
	options  Options
	sample   uint64
	refusing dispatch.Backend // answers the calls that fail
}

func (d *sampler) change(resolver world.Resolver) world.Resolver {
	return func(configuration, webhook string) dispatch.Backend {
		usual := resolver(configuration, webhook)
		if of, known := d.options.Of(configuration, webhook); known {
			return drawn{d, of, usual}
		}
		return usual
	}
}

type drawn struct {
	*sampler
	of    Distribution
	usual dispatch.Backend
}

func (d drawn) Call(ctx context.Context, c dispatch.Call) dispatch.Reply {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%d/%s/%s/%s/%d", d.options.Seed, d.sample, c.Phase, c.Configuration, c.Webhook, c.Number)
	random := splitmix.New(h.Sum64())
	if random.Float64() < d.of.failing {
		return d.refusing.Call(ctx, c)
	}
	reply := d.usual.Call(ctx, c)
	reply.Latency = d.of.at(random.Float64())
	return reply
}

// draws holds the result of each sample.
type draws struct {
	one     []draw
	allowed []bool // by request, when all webhooks are fast
}

type draw struct {
	total    time.Duration
	phases   map[trace.Phase]time.Duration
	calls    []drawnCall
	allowed  bool
	open     bool
	timedOut bool
}

type drawnCall struct {
	by       document.Actor
	took     time.Duration
	timedOut bool
	slowest  bool
}

func drawOf(r *simulator.Result) draw {
	d := draw{total: whatif.Elapsed(r), phases: map[trace.Phase]time.Duration{}, allowed: whatif.Allowed(r)}
	for _, a := range r.Admissions {
		for _, step := range a.Steps {
			d.phases[step.Phase] += step.Duration
			if !whatif.IsWebhook(step) {
				continue
			}
			first := len(d.calls)
			slowest := -1
			for _, h := range step.Hooks {
				if !h.Called {
					continue
				}
				by := whatif.Actor(step, h)
				by.Round = 0
				late := (h.Outcome == trace.Failed || h.Outcome == trace.FailedOpen) && h.Duration > 0 && !answered(h)
				d.timedOut = d.timedOut || late
				d.open = d.open || h.Outcome == trace.FailedOpen
				d.calls = append(d.calls, drawnCall{by, h.Duration, late, false})
				if slowest < 0 || h.Duration > d.calls[slowest].took {
					slowest = len(d.calls) - 1
				}
			}
			if step.Plugin == document.ValidatingWebhooks && slowest >= 0 && len(d.calls)-first > 1 {
				d.calls[slowest].slowest = true
			}
		}
	}
	return d
}

// answered reports whether a webhook answered in the end, even if its answer could not be used.
func answered(h trace.Hook) bool { return len(h.Calls) > 0 && len(h.Calls[len(h.Calls)-1].Reply) > 0 }

func (d *draws) result(o Options, r *Result) {
	var total []time.Duration
	sum := 0.0
	phases := map[trace.Phase][]time.Duration{}
	var timeouts, over, fails, open int
	for i, one := range d.one {
		total = append(total, one.total)
		sum += one.total.Seconds()
		for _, phase := range []trace.Phase{trace.Mutating, trace.Validating} {
			phases[phase] = append(phases[phase], one.phases[phase])
		}
		timeouts += number(one.timedOut)
		over += number(one.total >= requestLimit)
		fails += number(!one.allowed && d.allowed[i%len(d.allowed)])
		open += number(one.open && one.allowed)
	}
	r.Total, r.Mean = percentiles(total), seconds(sum/float64(len(d.one)))
	for _, phase := range []trace.Phase{trace.Mutating, trace.Validating} {
		r.Phases = append(r.Phases, Phase{phase, percentiles(phases[phase])})
	}
	n := len(d.one)
	r.Timeout, r.Over, r.Fails, r.Open = chance(timeouts, n), chance(over, n), chance(fails, n), chance(open, n)
	r.Webhooks = d.webhooks(o)
}

// requestLimit is the time limit of a request that does not set one.
const requestLimit = 34 * time.Second

func (d *draws) webhooks(o Options) (all []Webhook) {
	type tally struct {
		took          []time.Duration
		late, decides int
	}
	var order []document.Actor
	of := map[document.Actor]*tally{}
	for _, one := range d.one {
		for _, c := range one.calls {
			t := of[c.by]
			if t == nil {
				t = &tally{}
				of[c.by] = t
				order = append(order, c.by)
			}
			t.took = append(t.took, c.took)
			t.late += number(c.timedOut)
			t.decides += number(c.slowest)
		}
	}
	for _, by := range order {
		t := of[by]
		_, known := o.Of(by.Configuration, by.Name)
		all = append(all, Webhook{
			Webhook: by, Calls: float64(len(t.took)) / float64(len(d.one)), Known: known,
			Total: percentiles(t.took), Timeouts: chance(t.late, len(t.took)), Decides: chance(t.decides, len(d.one)),
		})
	}
	return all
}
