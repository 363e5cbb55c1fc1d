package latency

import (
	"slices"
	"sync"
	"time"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// draws holds the result of each sample.
type draws struct {
	options Options
	courses []*courses // by request
	allowed []bool     // by request, when all webhooks are fast
	one     []sampled
	added   []bool // for each of one: whether its times were added up, without the server

	mu   sync.Mutex
	done int // how many of one are known
}

// add adds the result of the sample i.
func (d *draws) add(i int, one sampled, added bool) {
	d.one[i], d.added[i] = one, added
	if d.options.Drawn == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done++
	d.options.Drawn(d.done, len(d.one))
}

// A sampled is what a request came to in one sample.
type sampled struct {
	total    time.Duration
	phases   [len(phases)]time.Duration
	calls    []callTime
	allowed  bool
	open     bool
	timedOut bool
}

// phases are those in which webhooks are called.
var phases = [...]trace.Phase{trace.Mutating, trace.Validating}

// A callTime is the time that one call of a webhook took.
type callTime struct {
	by       document.Actor
	time     time.Duration
	timedOut bool
	slowest  bool
}

func sampledOf(r *simulator.Result) sampled {
	s := sampled{total: whatif.Elapsed(r), allowed: whatif.Allowed(r)}
	for _, a := range r.Admissions {
		for _, step := range a.Steps {
			if i := slices.Index(phases[:], step.Phase); i >= 0 {
				s.phases[i] += step.Duration
			}
			if !whatif.IsWebhook(step) {
				continue
			}
			first := len(s.calls)
			for _, h := range step.Hooks {
				if !h.Called {
					continue
				}
				timedOut := isLate(h, left(a.Request.Timeout, h.Start))
				s.open = s.open || h.Outcome == trace.FailedOpen
				s.calls = append(s.calls, callTime{by: whatif.Actor(step, h).InAnyRound(), time: h.Duration, timedOut: timedOut})
				s.timedOut = s.timedOut || timedOut
			}
			if step.Plugin == document.ValidatingWebhooks {
				markSlowest(s.calls[first:])
			}
		}
	}
	return s
}

// isLate reports whether a webhook did not answer in its time, or in what was left of the request's. One that refuses
// the connection is not late, however long that takes.
func isLate(h trace.Hook, left time.Duration) bool {
	answered := len(h.Calls) > 0 && len(h.Calls[len(h.Calls)-1].Reply) > 0 // even if the answer could not be used
	return (h.Outcome == trace.Failed || h.Outcome == trace.FailedOpen) && h.Duration > 0 && h.Duration >= min(h.Timeout, left) && !answered
}

// markSlowest marks the slowest of calls that were made at the same time.
func markSlowest(calls []callTime) {
	if len(calls) < 2 {
		return
	}
	slowest := 0
	for i, c := range calls {
		if c.time > calls[slowest].time {
			slowest = i
		}
	}
	calls[slowest].slowest = true
}

func (d *draws) result(r *Result) {
	var total []time.Duration
	sum := 0.0
	var byPhase [len(phases)][]time.Duration
	var timeouts, over, fails, denied, open int
	for i, one := range d.one {
		total = append(total, one.total)
		sum += one.total.Seconds()
		for i := range phases {
			byPhase[i] = append(byPhase[i], one.phases[i])
		}
		timeouts += number(one.timedOut)
		limit := d.courses[i%len(d.courses)].limit
		over += number(limit > 0 && one.total >= limit)
		usually := d.allowed[i%len(d.allowed)]
		fails += number(!one.allowed && usually)
		denied += number(!one.allowed && !usually)
		open += number(one.open && one.allowed)
	}
	n, e := len(d.one), exact
	if r.Random {
		e = confidence
	}
	r.Samples, r.Limit = n, d.limit()
	r.Total, r.Mean = e.percentiles(total), seconds(sum/float64(n))
	for i, phase := range phases {
		r.Phases = append(r.Phases, Phase{phase, e.percentiles(byPhase[i])})
	}
	r.Timeout, r.Over, r.Fails, r.Open = e.chance(timeouts, n), e.chance(over, n), e.chance(fails, n), e.chance(open, n)
	r.Denied = e.chance(denied, n)
	r.Webhooks = d.webhooks(e)
}

// limit returns the time limit of the requests; 0 if not all have the same.
func (d *draws) limit() time.Duration {
	for _, c := range d.courses {
		if c.limit != d.courses[0].limit {
			return 0
		}
	}
	return d.courses[0].limit
}

func (d *draws) webhooks(e estimate) (all []Webhook) {
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
			t.took = append(t.took, c.time)
			t.late += number(c.timedOut)
			t.decides += number(c.slowest)
		}
	}
	for _, by := range order {
		t := of[by]
		_, known := d.options.Of(by.Configuration, by.Name)
		all = append(all, Webhook{
			Webhook: by, Calls: float64(len(t.took)) / float64(len(d.one)), Known: known,
			Total: e.percentiles(t.took), Timeouts: e.chance(t.late, len(t.took)), Decides: e.chance(t.decides, len(d.one)),
		})
	}
	return all
}
