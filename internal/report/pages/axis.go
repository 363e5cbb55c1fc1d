package pages

import (
	"fmt"
	"time"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

// An axis shows the time of one run of the chain. Positions are percentages, which SVG accepts as attributes: the page
// may have no inline styles.
type axis struct {
	Ticks    []tick
	Deadline string // position of the deadline; empty if the chain stayed far below it
	Budget   *budget

	end time.Duration
}

type tick struct {
	X, Text string
	at      time.Duration
}

// A bar shows how long something took.
type bar struct{ X, Width, Deadline string }

// A budget is the time that a request has, and how much of it was used.
type budget struct {
	Limit, Used, Share string
	Width              string
	Over               bool
}

// near is the divisor for showing the deadline: a quarter of it must have been used.
const near = 4

// newAxis returns the axis of an admission; it is at least as long as least.
func newAxis(a report.Admission, deadline, least time.Duration) *axis {
	return axisTo(lengthOf(a), least, deadline)
}

// lengthOf returns how long an admission took.
func lengthOf(a report.Admission) time.Duration {
	end := a.Elapsed.Duration
	for _, s := range a.Steps {
		end = max(end, s.Start.Duration+s.Duration.Duration)
		for _, h := range s.Hooks {
			end = max(end, h.Start.Duration+h.Duration.Duration)
		}
	}
	return end
}

// axisTo returns an axis for something that takes this long; it is at least as long as least. It is nil if nothing
// takes time.
func axisTo(end, least, deadline time.Duration) *axis {
	if end <= 0 {
		return nil
	}
	x := &axis{end: max(end, least)}
	if deadline > 0 {
		x.Budget = &budget{
			Limit: words.Took(deadline), Used: words.Took(end), Over: end >= deadline,
			Share: fmt.Sprintf("%.3g %%", 100*float64(end)/float64(deadline)),
			Width: along(min(end, deadline), deadline),
		}
		if x.end >= deadline/near {
			x.end = max(x.end, deadline+deadline/50)
			x.Deadline = along(deadline, x.end)
		}
	}
	for _, t := range ticks(x.end) {
		if x.Deadline == "" || t.at < deadline-x.end/6 || t.at > deadline+x.end/30 { // leaves room for the word
			x.Ticks = append(x.Ticks, t)
		}
	}
	return x
}

// ticks returns up to seven ticks at round times.
func ticks(end time.Duration) (all []tick) {
	step := roundStep(end)
	for at := time.Duration(0); at < end-step/3; at += step {
		text := words.Took(at)
		if at == 0 {
			text = "0"
		}
		all = append(all, tick{along(at, end), text, at})
	}
	return all
}

// roundStep returns 1, 2 or 5 times a power of ten that is at least a sixth of the whole.
func roundStep(end time.Duration) time.Duration {
	for unit := time.Duration(1); ; unit *= 10 {
		for _, step := range []time.Duration{unit, 2 * unit, 5 * unit} {
			if step*6 >= end {
				return step
			}
		}
	}
}

func (x *axis) bar(start, duration time.Duration) *bar {
	if duration <= 0 {
		return nil
	}
	return x.place(start, duration)
}

// mark returns a narrow bar, for something that took no time.
func (x *axis) mark(at time.Duration) *bar { return x.place(at, 0) }

func (x *axis) place(start, duration time.Duration) *bar {
	if x == nil {
		return nil
	}
	return &bar{along(start, x.end), along(max(duration, x.end/250), x.end), x.Deadline}
}

func along(part, whole time.Duration) string {
	return fmt.Sprintf("%.4g%%", 100*float64(part)/float64(whole))
}
