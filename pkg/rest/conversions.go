package rest

import (
	"fmt"
	"slices"
	"time"

	"github.com/admsim/admsim/pkg/trace"
)

// asked returns the steps of what webhooks were asked since the last time, which began at start, that the server calls
// outside of any plugin: those that authorize, and those that convert objects. The time that they take is time of the
// request.
func (x *exchange) asked(start time.Duration) (steps []trace.Step, took time.Duration) {
	for _, of := range []struct {
		name, one, many string
		since           func() []trace.Hook
	}{
		{"authorization", "1 question to a webhook", "%d questions to webhooks", x.server.Questions},
		{"conversion", "1 conversion by webhook", "%d conversions by webhook", x.server.Conversions},
	} {
		if of.since == nil {
			continue
		}
		hooks := of.since()
		if len(hooks) == 0 {
			continue
		}
		step := trace.Step{Phase: trace.Server, Plugin: of.name, Outcome: trace.Allowed, Start: start + took, Because: of.one}
		switch n := applied(hooks); {
		case n == 0:
			step.Outcome, step.Because = trace.Skipped, "no webhook is asked"
		case n > 1:
			step.Because = fmt.Sprintf(of.many, n)
		}
		step.Hooks, step.Duration = inTurn(hooks, step.Start)
		took += step.Duration
		steps = append(steps, step)
	}
	return steps, took
}

// applied counts the hooks that were not skipped: those that authorize have conditions.
func applied(hooks []trace.Hook) (n int) {
	for _, h := range hooks {
		if h.Outcome != trace.Skipped {
			n++
		}
	}
	return n
}

// inTurn are hooks that are called one after the other, from start on.
func inTurn(hooks []trace.Hook, start time.Duration) (_ []trace.Hook, took time.Duration) {
	for i := range hooks {
		hooks[i].Index, hooks[i].Start = i, start+took
		took += hooks[i].Duration
	}
	return hooks, took
}

// askedBefore are the questions before a phase.
func (x *exchange) askedBefore() []trace.Step {
	steps, took := x.asked(x.elapsed)
	x.elapsed += took
	return steps
}

// askedWhile puts the questions that plugins of a phase needed before the phase, of which steps are those from
// behind on: everything in it is that much later.
func (x *exchange) askedWhile(steps []trace.Step, behind int) ([]trace.Step, time.Duration) {
	asked, took := x.asked(x.elapsed)
	if len(asked) == 0 {
		return steps, 0
	}
	steps = slices.Insert(steps, behind, asked...)
	for i := range steps[behind+len(asked):] {
		later := &steps[behind+len(asked)+i]
		later.Start += took
		for j := range later.Hooks {
			later.Hooks[j].Start += took
		}
	}
	return steps, took
}

// askedLast notes the questions after the last phase. If the request was denied, they were before that.
func (x *exchange) askedLast() {
	asked, took := x.asked(x.elapsed)
	x.elapsed += took
	if len(asked) == 0 || len(x.admissions) == 0 {
		return
	}
	now := x.admission()
	now.Elapsed += took
	at := len(now.Steps)
	if at > 0 && now.Steps[at-1].Outcome.Ends() {
		at--
	}
	now.Steps = slices.Insert(now.Steps, at, asked...)
}
