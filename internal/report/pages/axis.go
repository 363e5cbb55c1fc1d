package pages

import (
	"fmt"
	"time"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

// An axis is the time of one run of the chain, as places on a line. Places are percentages,
// which SVG takes as attributes: the page may have no inline styles.
type axis struct {
	Ticks    []tick
	Deadline string // place of the deadline; empty if the chain stayed far below it
	Budget   *budget

	end time.Duration
}

type tick struct {
	X, Text string
	at      time.Duration
}

// A bar is how long something took.
type bar struct{ X, Width, Deadline string }

// A budget is the time that a request has, and what of it was used.
type budget struct {
	Limit, Used, Share string
	Width              string
	Over               bool
}

// near is how much of the deadline has to be used for it to be shown on the axis.
const near = 4

// newAxis is that of an admission; it goes as far as least, where that is longer.
func newAxis(a report.Admission, deadline, least time.Duration) *axis {
	return axisTo(lengthOf(a), least, deadline)
}

// lengthOf is how long an admission took.
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

// axisTo is for what takes so long, and goes as far as least, where that is longer. It is nil
// where nothing takes time.
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
		if x.Deadline == "" || t.at < deadline-x.end/6 || t.at > deadline+x.end/30 { // room for the word
			x.Ticks = append(x.Ticks, t)
		}
	}
	return x
}

// ticks are at round times, up to seven of them.
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

// roundStep is 1, 2 or 5 times a power of ten, a sixth of the whole or a little more.
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

// mark is for what took no time, and is narrow.
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
