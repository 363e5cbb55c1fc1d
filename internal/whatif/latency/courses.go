package latency

import (
	"math"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/admsim/admsim/internal/plugins/limits"
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
// What is learned is compared with what the server did, and so are some later samples. If it is not the same, all samples
// are answered by the server.
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
	own   int           // number of the request that the server sends to itself; 0: the request of the client
	limit time.Duration // of that request, since it began; 0: none
	calls []call
	next  map[string]*point // by how calls end; if there are no calls, by ""
	end   *end              // if the request ends here
}

// An end is what a request comes to, with the time that is not drawn.
type end struct {
	total    time.Duration
	phases   [len(phases)]time.Duration
	timedOut []bool // for each call of the client's request
	allowed  bool
	open     bool
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
	tooLate = 't' // its own time is over
	over    = 'o' // the time of the request that it is for is over
	allOver = 'c' // so is the time of the client's request
)

// newCourses returns the courses of a request that usually comes to r.
func newCourses(r *simulator.Result, of func(configuration, webhook string) (Distribution, bool)) *courses {
	return &courses{of: of, limit: r.Admissions[0].Request.Timeout, start: &point{next: map[string]*point{}}}
}

// left returns the time that is left of a limit.
func left(limit, at time.Duration) time.Duration {
	if limit == 0 {
		return math.MaxInt64
	}
	return max(limit-at, 0)
}

// take returns how long a call takes in a sample if the request has some time left, and how it ends.
func (c *call) take(seed uint64, sample int, left time.Duration) (took time.Duration, how byte) {
	latency := c.latency
	if c.of != nil {
		drawn, refused := c.of.draw(c.source(seed, sample))
		if refused {
			return 0, fails
		}
		latency = max(latency, drawn)
	}
	switch {
	case latency <= min(c.timeout, left):
		return latency, answers
	case c.timeout <= left:
		return c.timeout, tooLate
	}
	return left, over
}

// follow returns what the request comes to in a sample, if this course of it is known.
func (c *courses) follow(seed uint64, sample int) (s sampled, known bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.unknown {
		return s, false
	}
	return c.known(seed, sample)
}

func (c *courses) known(seed uint64, sample int) (s sampled, known bool) {
	var now clock
	var how []byte
	for p := c.start; p != nil; p = p.next[string(how)] {
		now.enter(p.own)
		if p.waits > 0 && (p.waits >= left(p.limit, now.inRequest()) || p.waits >= left(c.limit, now.at)) {
			return s, false // the time of the request is over in between
		}
		now.at += p.waits
		if p.end != nil {
			p.end.complete(&s)
			return s, true
		}
		var longest time.Duration
		first := len(s.calls)
		how = how[:0]
		for i := range p.calls {
			one, ends := p.calls[i].take(seed, sample, left(p.limit, now.inRequest()))
			if p.own == 0 {
				s.calls = append(s.calls, callTime{by: p.calls[i].by, time: one})
			}
			longest, how = max(longest, one), append(how, ends)
		}
		if phases[p.phase] == trace.Validating {
			markSlowest(s.calls[first:])
		}
		now.at += longest
		if now.gaveUp() {
			return s, false
		}
		s.total += longest
		s.phases[p.phase] += longest
		how = c.ended(how, p, now)
	}
	return s, false
}

// A clock says how much time has passed.
type clock struct {
	at    time.Duration // since the client's request began
	own   int           // see point
	began time.Duration // when that request began
	asked time.Duration // when the server began to send such requests, one after the other
}

// gaveUp reports whether the server may no longer wait for the requests that it sends to itself. Nothing is learned from
// answers in which it does not, and such samples are left to the server.
func (c *clock) gaveUp() bool { return c.own != 0 && c.at-c.asked >= limits.Patience }

// enter continues with the client's request, or with one that the server sends to itself and that begins now.
func (c *clock) enter(own int) {
	switch {
	case own == c.own:
	case own == 0:
		c.own, c.began = 0, 0
	default:
		if c.own == 0 {
			c.asked = c.at
		}
		c.own, c.began = own, c.at
	}
}

func (c *clock) inRequest() time.Duration { return c.at - c.began }

// ended adds to how the calls of a point end whether there is time left.
func (c *courses) ended(how []byte, p *point, now clock) []byte {
	if left(p.limit, now.inRequest()) == 0 {
		how = append(how, over)
	}
	if left(c.limit, now.at) == 0 {
		how = append(how, allOver)
	}
	return how
}

// complete adds to the times that were drawn what is the same in all samples of a course.
func (e *end) complete(s *sampled) {
	s.total += e.total
	for i := range phases {
		s.phases[i] += e.phases[i]
	}
	for i, timedOut := range e.timedOut {
		s.calls[i].timedOut = timedOut
		s.timedOut = s.timedOut || timedOut
	}
	s.allowed, s.open = e.allowed, e.open
}

// learn adds the course of a request to those that are known. answered is what it came to.
func (c *courses) learn(seed uint64, sample int, r *simulator.Result, answered sampled) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unknown || gaveUp(r) {
		return
	}
	c.unknown = !c.add(seed, sample, r, answered)
	if !c.unknown {
		again, known := c.known(seed, sample)
		c.unknown = !known || !reflect.DeepEqual(again, answered)
	}
}

// gaveUp reports whether the server did not wait for the end of requests that it sent to itself.
func gaveUp(r *simulator.Result) bool {
	for _, a := range r.Admissions {
		for _, step := range a.Steps {
			sent := time.Duration(0)
			for _, own := range step.Did().Sent {
				sent += own.Elapsed()
			}
			if sent >= limits.Patience {
				return true
			}
		}
	}
	return false
}

// compare compares a sample whose course was known with what the server answered.
func (c *courses) compare(followed, answered sampled) {
	if !reflect.DeepEqual(followed, answered) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.unknown = true
	}
}

// add adds a course, and reports whether it can be described by points.
func (c *courses) add(seed uint64, sample int, r *simulator.Result, answered sampled) bool {
	l := &lesson{courses: c, seed: seed, sample: sample, last: c.start, numbers: map[drawnCall]int{}}
	l.end = &end{total: answered.total, phases: answered.phases, allowed: answered.allowed, open: answered.open}
	for _, one := range answered.calls {
		l.end.timedOut = append(l.end.timedOut, one.timedOut)
	}
	for _, a := range r.Admissions {
		if a.Request.Elapsed < l.now.at || !l.admission(a) {
			return false
		}
	}
	l.last.next[l.how] = &point{end: l.end}
	return true
}

// A lesson adds the course of one answer to the courses of its request.
type lesson struct {
	*courses
	seed    uint64
	sample  int
	numbers map[drawnCall]int // of the next call
	last    *point
	how     string // the calls of last end
	now     clock
	sent    int // requests that the server sent to itself
	end     *end
}

// admission adds the calls in an admission of the client's request.
func (l *lesson) admission(a trace.Admission) bool {
	for _, step := range a.Steps {
		phase := slices.Index(phases[:], step.Phase)
		if sent := step.Did().Sent; phase >= 0 && slices.ContainsFunc(sent, writes) {
			if !l.ownRequests(sent, phase) {
				return false
			}
			continue
		}
		if !l.step(step, phase, 0, a.Request.Timeout) {
			return false
		}
	}
	return true
}

// writes reports whether a request that the server sends to itself is admitted, and so may take time.
func writes(sent trace.Sent) bool { return !sent.Reads() }

// ownRequests adds the calls in requests that the server sends to itself, one after the other.
func (l *lesson) ownRequests(sent []trace.Sent, phase int) bool {
	for i := range sent {
		l.sent++
		begin := sent[i].Start
		for _, a := range sent[i].Admissions {
			for _, own := range a.Steps {
				if slices.ContainsFunc(own.Did().Sent, writes) || whatif.IsWebhook(own) && l.now.own != l.sent && begin != l.now.at {
					return false
				}
				if !l.step(own, phase, l.sent, a.Request.Timeout) {
					return false
				}
			}
			begin += a.Elapsed
		}
	}
	return true
}

// step adds the calls in a step of a request.
func (l *lesson) step(step trace.Step, phase, own int, limit time.Duration) bool {
	if !whatif.IsWebhook(step) {
		// Such as conversions, and what the server sends to itself between the phases: the time of the request is no
		// limit to some of them.
		return !slices.ContainsFunc(step.Hooks, func(h trace.Hook) bool {
			_, drawn := l.of(h.Configuration, h.Name)
			return drawn && h.Called
		})
	}
	for _, hooks := range together(step) {
		l.now.enter(own)
		p := &point{waits: hooks[0].Start - l.now.inRequest(), phase: phase, own: own, limit: limit, next: map[string]*point{}}
		if p.waits < 0 {
			return false
		}
		for _, h := range hooks {
			if len(h.Calls) != 1 {
				return false
			}
			p.calls = append(p.calls, l.call(step, h))
		}
		if p = l.last.then(l.how, p); p == nil {
			return false
		}
		l.now.at += p.waits
		longest, ends := time.Duration(0), []byte(nil)
		for i, h := range hooks {
			one, ending := p.calls[i].observe(h, l.seed, l.sample, left(limit, l.now.inRequest()))
			longest, ends = max(longest, one), append(ends, ending)
		}
		l.now.at += longest
		l.end.total -= longest
		l.end.phases[phase] -= longest
		l.last, l.how = p, string(l.ended(ends, p, l.now))
	}
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

// call returns the call of a hook.
func (l *lesson) call(step trace.Step, h trace.Hook) call {
	made := call{drawnCall: drawnCall{phase: step.Phase, configuration: h.Configuration, webhook: h.Name}, by: whatif.Actor(step, h).InAnyRound(), timeout: h.Timeout}
	made.drawnCall = made.numbered(l.numbers)
	if of, known := l.of(h.Configuration, h.Name); known {
		made.of = &of
	} else {
		made.latency = h.Duration
	}
	return made
}

// observe learns from a hook whether the webhook answers at all, and returns how long the call takes, and how it ends.
func (c *call) observe(h trace.Hook, seed uint64, sample int, left time.Duration) (took time.Duration, how byte) {
	took, how = c.take(seed, sample, left)
	if how == answers && isLate(h, left) {
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
	if known.waits != next.waits || known.phase != next.phase || known.own != next.own || known.limit != next.limit || len(known.calls) != len(next.calls) {
		return nil
	}
	for i := range next.calls {
		if known.calls[i].drawnCall != next.calls[i].drawnCall || known.calls[i].timeout != next.calls[i].timeout {
			return nil
		}
	}
	return known
}
