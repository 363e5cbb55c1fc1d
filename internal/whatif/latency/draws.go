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
	one     []draw

	mu   sync.Mutex
	done int // how many of one are known
}

// add adds the result of the sample i.
func (d *draws) add(i int, one draw) {
	d.one[i] = one
	if d.options.Drawn == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done++
	d.options.Drawn(d.done, len(d.one))
}

// A draw is how a request went in a sample.
type draw struct {
	total    time.Duration
	phases   [len(phases)]time.Duration
	calls    []took
	allowed  bool
	open     bool
	timedOut bool
}

// phases are those in which webhooks are called.
var phases = [...]trace.Phase{trace.Mutating, trace.Validating}

// A took is how long a call of a webhook took.
type took struct {
	by       document.Actor
	time     time.Duration
	timedOut bool
	slowest  bool
}

func drawOf(r *simulator.Result) draw {
	d := draw{total: whatif.Elapsed(r), allowed: whatif.Allowed(r)}
	for _, a := range r.Admissions {
		for _, step := range a.Steps {
			if i := slices.Index(phases[:], step.Phase); i >= 0 {
				d.phases[i] += step.Duration
			}
			if !whatif.IsWebhook(step) {
				continue
			}
			first := len(d.calls)
			for _, h := range step.Hooks {
				if !h.Called {
					continue
				}
				d.open = d.open || h.Outcome == trace.FailedOpen
				d.calls = append(d.calls, took{by: caller(step, h), time: h.Duration, timedOut: isLate(h)})
				d.timedOut = d.timedOut || isLate(h)
			}
			if step.Plugin == document.ValidatingWebhooks {
				markSlowest(d.calls[first:])
			}
		}
	}
	return d
}

// caller returns the webhook of a hook, in any round.
func caller(step trace.Step, h trace.Hook) document.Actor {
	by := whatif.Actor(step, h)
	by.Round = 0
	return by
}

// isLate reports whether a webhook did not answer.
func isLate(h trace.Hook) bool {
	answered := len(h.Calls) > 0 && len(h.Calls[len(h.Calls)-1].Reply) > 0 // even if the answer could not be used
	return (h.Outcome == trace.Failed || h.Outcome == trace.FailedOpen) && h.Duration > 0 && !answered
}

// markSlowest marks the slowest of calls that were made at the same time.
func markSlowest(calls []took) {
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
	var timeouts, over, fails, open int
	for i, one := range d.one {
		total = append(total, one.total)
		sum += one.total.Seconds()
		for i := range phases {
			byPhase[i] = append(byPhase[i], one.phases[i])
		}
		timeouts += number(one.timedOut)
		over += number(one.total >= requestLimit)
		fails += number(!one.allowed && d.allowed[i%len(d.allowed)])
		open += number(one.open && one.allowed)
	}
	n, e := len(d.one), exact
	if r.Random {
		e = confidence
	}
	r.Samples = n
	r.Total, r.Mean = e.percentiles(total), seconds(sum/float64(n))
	for i, phase := range phases {
		r.Phases = append(r.Phases, Phase{phase, e.percentiles(byPhase[i])})
	}
	r.Timeout, r.Over, r.Fails, r.Open = e.chance(timeouts, n), e.chance(over, n), e.chance(fails, n), e.chance(open, n)
	r.Webhooks = d.webhooks(e)
}

// requestLimit is the time limit of a request that does not set one.
const requestLimit = 34 * time.Second

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
