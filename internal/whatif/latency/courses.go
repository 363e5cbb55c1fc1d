package latency

import (
	"math"
	"reflect"
	"sync"
	"time"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// The courses of a request are what the server did in samples of it: a tree that branches with how calls end. What
// happens next depends on a latency only in so far as the call fails, is in time, or is too late, and as the request has
// time left. So a sample whose course is known needs no server, and only its times are added up.
//
// What is learned is compared with what the server did. If it is not the same, all samples are answered by the server.
type courses struct {
	of    func(configuration, webhook string) (Distribution, bool)
	limit time.Duration // of the request; 0: none

	mu      sync.RWMutex
	start   *point
	unknown bool // whether times cannot be added up, such as those between attempts that a webhook asks for
}

// A point of a course is when webhooks are called: a mutating one, or all validating ones that apply.
type point struct {
	waits time.Duration // since the previous calls ended: other calls of the server
	phase int           // see phases
	calls []call
	next  map[string]*point // by how calls end; if there are no calls, by ""
	end   *end              // if the request ends here
}

// An end is what a request comes to, with the time that is not drawn.
type end struct {
	total   time.Duration
	phases  [len(phases)]time.Duration
	late    []bool // for each call
	allowed bool
	open    bool
}

// A call is one call of a webhook.
type call struct {
	drawnCall
	by      document.Actor
	timeout time.Duration
	of      *Distribution // nil: its latency is not drawn
	latency time.Duration // if it is not drawn, or if it is dispatch.Never
}

// How a call ends.
const (
	fails   = 'f'
	answers = 'a'
	late    = 't' // its own time is over
	over    = 'o' // the request's time is over
)

// newCourses returns the courses of a request that usually comes to r.
func newCourses(r *simulator.Result, of func(configuration, webhook string) (Distribution, bool)) *courses {
	return &courses{of: of, limit: r.Admissions[0].Request.Timeout, start: &point{next: map[string]*point{}}}
}

// left returns the time that a request has left.
func (c *courses) left(at time.Duration) time.Duration {
	if c.limit == 0 {
		return math.MaxInt64
	}
	return max(c.limit-at, 0)
}

// take returns how long a call takes in a sample if the request has some time left, and how it ends.
func (c *call) take(seed uint64, sample int, left time.Duration) (took time.Duration, how byte) {
	latency := c.latency
	if c.of != nil {
		drawn, refused := c.of.draw(c.random(seed, sample))
		if refused {
			return 0, fails
		}
		latency = max(latency, drawn)
	}
	switch {
	case latency <= min(c.timeout, left):
		return latency, answers
	case c.timeout <= left:
		return c.timeout, late
	}
	return left, over
}

// follow returns what the request comes to in a sample, if this course of it is known.
func (c *courses) follow(seed uint64, sample int) (d draw, known bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.unknown {
		return d, false
	}
	return c.known(seed, sample)
}

func (c *courses) known(seed uint64, sample int) (d draw, known bool) {
	at := time.Duration(0)
	var how []byte
	for p := c.start; p != nil; p = p.next[string(how)] {
		if p.waits > 0 && p.waits >= c.left(at) {
			return d, false // the time of the request is over in between
		}
		at += p.waits
		if p.end != nil {
			p.end.complete(&d)
			return d, true
		}
		var longest time.Duration
		first := len(d.calls)
		how = how[:0]
		for i := range p.calls {
			one, ends := p.calls[i].take(seed, sample, c.left(at))
			d.calls = append(d.calls, took{by: p.calls[i].by, time: one})
			longest, how = max(longest, one), append(how, ends)
		}
		if phases[p.phase] == trace.Validating {
			markSlowest(d.calls[first:])
		}
		at += longest
		d.total += longest
		d.phases[p.phase] += longest
		how = c.ended(how, at)
	}
	return d, false
}

// ended adds to how calls end whether the request has time left.
func (c *courses) ended(how []byte, at time.Duration) []byte {
	if c.left(at) == 0 {
		return append(how, over)
	}
	return how
}

// complete adds to the times that were drawn what is the same in all samples of a course.
func (e *end) complete(d *draw) {
	d.total += e.total
	for i := range phases {
		d.phases[i] += e.phases[i]
	}
	for i, late := range e.late {
		d.calls[i].timedOut = late
		d.timedOut = d.timedOut || late
	}
	d.allowed, d.open = e.allowed, e.open
}

// learn adds the course of a request to those that are known. answered is what it came to.
func (c *courses) learn(seed uint64, sample int, r *simulator.Result, answered draw) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unknown {
		return
	}
	c.unknown = !c.add(seed, sample, r, answered)
	if !c.unknown {
		again, known := c.known(seed, sample)
		c.unknown = !known || !reflect.DeepEqual(again, answered)
	}
}

// add adds a course, and reports whether it can be described by points.
func (c *courses) add(seed uint64, sample int, r *simulator.Result, answered draw) bool {
	e := &end{total: answered.total, phases: answered.phases, allowed: answered.allowed, open: answered.open}
	for _, one := range answered.calls {
		e.late = append(e.late, one.timedOut)
	}
	last, how, at := c.start, "", time.Duration(0)
	for _, a := range r.Admissions {
		number := map[string]int{} // of calls, by hook
		for _, step := range a.Steps {
			if !whatif.IsWebhook(step) {
				continue
			}
			for _, hooks := range together(step) {
				p := &point{waits: hooks[0].Start - at, next: map[string]*point{}}
				if step.Plugin == document.ValidatingWebhooks {
					p.phase = 1
				}
				for _, h := range hooks {
					if len(h.Calls) != 1 {
						return false
					}
					p.calls = append(p.calls, c.call(step, h, number[h.ID]))
					number[h.ID]++
				}
				if p = last.then(how, p); p == nil {
					return false
				}
				at += p.waits
				longest, ends := time.Duration(0), []byte(nil)
				for i, h := range hooks {
					one, ending := p.calls[i].observe(h, seed, sample, c.left(at))
					longest, ends = max(longest, one), append(ends, ending)
				}
				at += longest
				e.total -= longest
				e.phases[p.phase] -= longest
				last, how = p, string(c.ended(ends, at))
			}
		}
	}
	last.next[how] = &point{end: e}
	return true
}

// together returns the hooks of a step that were called, those that were called at the same time together.
func together(step trace.Step) (all [][]trace.Hook) {
	for _, h := range step.Hooks {
		switch {
		case !h.Called:
		case len(all) > 0 && step.Plugin == document.ValidatingWebhooks:
			all[0] = append(all[0], h)
		default:
			all = append(all, []trace.Hook{h})
		}
	}
	return all
}

// call returns the call of a hook that was called a number of times before.
func (c *courses) call(step trace.Step, h trace.Hook, number int) call {
	made := call{drawnCall: drawnCall{step.Phase, h.Configuration, h.Name, number}, by: caller(step, h), timeout: h.Timeout}
	if of, known := c.of(h.Configuration, h.Name); known {
		made.of = &of
	} else {
		made.latency = h.Duration
	}
	return made
}

// observe learns from a hook whether the webhook answers at all, and returns how long the call takes, and how it ends.
func (c *call) observe(h trace.Hook, seed uint64, sample int, left time.Duration) (took time.Duration, how byte) {
	took, how = c.take(seed, sample, left)
	if how == answers && isLate(h) && h.Duration == min(c.timeout, left) {
		c.latency = dispatch.Never
		return c.take(seed, sample, left)
	}
	return took, how
}

// then returns the next point if calls end in this way: the one that is known, or p. It is nil if they are not the same.
func (p *point) then(how string, next *point) *point {
	known := p.next[how]
	if known == nil {
		p.next[how] = next
		return next
	}
	if known.waits != next.waits || known.phase != next.phase || len(known.calls) != len(next.calls) {
		return nil
	}
	for i := range next.calls {
		if known.calls[i].drawnCall != next.calls[i].drawnCall || known.calls[i].timeout != next.calls[i].timeout {
			return nil
		}
	}
	return known
}
