// Package latency estimates how long requests take in admission, given how long webhooks take to answer, and how likely
// it is that a webhook is too late.
//
// Start with [Run]. [Latencies] holds what flags and recordings say about the webhooks: a [Distribution] for each.
//
// The server answers once for each course of a request: what it does depends on latencies only in so far as webhooks
// fail, answer in time or are too late. The times of all samples with the same course are added up without it.
package latency

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/trace"
)

// Options says how latencies are sampled.
type Options struct {
	// Of returns how long a webhook takes; false: as long as its backend says.
	Of      func(configuration, webhook string) (Distribution, bool)
	Samples int // 0: 10000
	Jobs    int // how many run concurrently; 0: 1
	Seed    uint64
	Drawn   func(samples, of int) // called after each sample, never concurrently; may be nil
}

// A Result says how long one of the requests takes. Everything was sampled Samples times; with 95 % confidence, the
// true value is between Low and High, as far as the sampling error is concerned. If nothing is random, there is none.
type Result struct {
	Request  document.Sample // the first of them
	Requests int
	Samples  int  // one of each request if nothing is random
	Random   bool // whether the latency of any webhook is
	Seed     uint64

	Total  []Percentile // of the time in admission
	Mean   time.Duration
	Phases []Phase

	Timeout  Chance        // that a webhook does not answer in time
	Over     Chance        // that the request has no time left
	Limit    time.Duration // of the requests; 0: none, or not the same for all
	Fails    Chance        // that the request is refused, although it is admitted if all webhooks are fast
	Denied   Chance        // that the request is refused, as it is if all webhooks are fast
	Denials  []Denial      // the requests that are refused if all webhooks are fast
	Open     Chance        // that it passes although not all webhooks checked it
	Webhooks []Webhook
}

// A Denial is a request that is refused even if all webhooks are fast.
type Denial struct {
	Request document.Sample
	By      document.Actor
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
	r := &Result{Seed: o.Seed}
	all := &draws{options: o, one: make([]sampled, o.Samples), added: make([]bool, o.Samples)}
	requests, err := all.usual(ctx, maker, requests, r)
	if err != nil {
		return nil, err
	}
	if r.Random, err = all.draw(ctx, maker, requests); err != nil {
		return nil, err
	}
	all.result(r)
	return r, nil
}

// draw computes all samples; or, if nothing is random, the first one of each request.
func (d *draws) draw(ctx context.Context, maker world.Maker, requests []Question) (random bool, err error) {
	first, err := newSampler(maker, requests, d.options)
	if err != nil {
		return false, err
	}
	samples := make([]int, len(d.one))
	for i := range samples {
		samples[i] = i
	}
	each := min(len(requests), len(samples))
	if err := first.draw(ctx, d, samples[:each]); err != nil {
		return false, err
	}
	if !first.anyRandom.Load() {
		d.one = d.one[:each]
		return false, nil
	}
	samplers := make([]*sampler, max(d.options.Jobs, 1))
	samplers[0] = first
	concurrently := func(samples []int) error {
		errs := make([]error, len(samplers))
		var workers sync.WaitGroup
		for job := range samplers {
			workers.Go(func() {
				if samplers[job] == nil {
					if samplers[job], errs[job] = newSampler(maker, requests, d.options); errs[job] != nil {
						return
					}
				}
				errs[job] = samplers[job].draw(ctx, d, every(len(samplers), samples[min(job, len(samples)):]))
			})
		}
		workers.Wait()
		return errors.Join(errs...)
	}
	if err := concurrently(samples[each:]); err != nil {
		return false, err
	}
	return true, concurrently(d.doubtful())
}

// every returns every n'th sample, beginning with the first.
func every(n int, samples []int) (some []int) {
	for i := 0; i < len(samples); i += n {
		some = append(some, samples[i])
	}
	return some
}

// doubtful returns the samples that were added up before it turned out that this gives wrong times for their request.
// Which ones these are depends on how fast each worker was; so the server answers them all.
func (d *draws) doubtful() (samples []int) {
	for i, added := range d.added {
		if added && d.courses[i%len(d.courses)].unknown {
			samples = append(samples, i)
		}
	}
	d.done -= len(samples)
	return samples
}

// usual answers the requests while all webhooks are fast, and leaves out those that do not reach admission.
func (d *draws) usual(ctx context.Context, maker world.Maker, requests []Question, r *Result) (come []Question, err error) {
	var early error // of the last request that does not reach admission
	for _, q := range requests {
		asked, err := q.in(maker, d.options.allFast)
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
		sample := traffic.Request{Written: &asked.From}.Sample(asked)
		if come = append(come, q); len(come) == 1 {
			r.Request = sample
		}
		if !whatif.Allowed(result) {
			r.Denials = append(r.Denials, Denial{sample, whatif.Decider(result).InAnyRound()})
		}
		d.courses = append(d.courses, newCourses(result, d.options.Of))
		d.allowed = append(d.allowed, whatif.Allowed(result))
	}
	if len(come) == 0 && early != nil {
		return nil, early
	}
	r.Requests = len(come)
	return come, nil
}
