package rest

import (
	"fmt"
	"slices"
	"time"

	"github.com/admsim/admsim/pkg/trace"
)

// converted returns the step of what conversion webhooks were asked since the last time, which began at start; nil if
// they were not. The server calls them where it needs an object in another version, outside of any plugin, and the time
// that they take is time of the request.
func (x *exchange) converted(start time.Duration) *trace.Step {
	if x.server.Conversions == nil {
		return nil
	}
	hooks := x.server.Conversions()
	if len(hooks) == 0 {
		return nil
	}
	step := &trace.Step{Phase: trace.Server, Plugin: "conversion", Outcome: trace.Allowed, Start: start, Hooks: hooks}
	step.Because = fmt.Sprintf("%d conversions by webhook", len(hooks))
	if len(hooks) == 1 {
		step.Because = "1 conversion by webhook"
	}
	for i := range hooks {
		hooks[i].Index, hooks[i].Start = i, start+step.Duration
		step.Duration += hooks[i].Duration
	}
	return step
}

// convertedBefore are the conversions before a phase.
func (x *exchange) convertedBefore() (steps []trace.Step) {
	if step := x.converted(x.elapsed); step != nil {
		x.elapsed += step.Duration
		steps = append(steps, *step)
	}
	return steps
}

// convertedWhile puts the conversions that plugins of a phase needed before the phase, of which steps are those from
// behind on: everything in it is that much later.
func (x *exchange) convertedWhile(steps []trace.Step, behind int) ([]trace.Step, time.Duration) {
	step := x.converted(x.elapsed)
	if step == nil {
		return steps, 0
	}
	steps = slices.Insert(steps, behind, *step)
	for i := range steps[behind+1:] {
		later := &steps[behind+1+i]
		later.Start += step.Duration
		for j := range later.Hooks {
			later.Hooks[j].Start += step.Duration
		}
	}
	return steps, step.Duration
}

// convertedLast notes the conversions after the last phase. If the request was denied, they were before that.
func (x *exchange) convertedLast() {
	step := x.converted(x.elapsed)
	if step == nil {
		return
	}
	x.elapsed += step.Duration
	if len(x.admissions) == 0 {
		return
	}
	now := x.admission()
	now.Elapsed += step.Duration
	at := len(now.Steps)
	if at > 0 && now.Steps[at-1].Outcome.Ends() {
		at--
	}
	now.Steps = slices.Insert(now.Steps, at, *step)
}
