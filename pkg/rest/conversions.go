package rest

import (
	"fmt"
	"slices"
	"time"

	"github.com/admsim/admsim/pkg/trace"
)

// callSteps returns the steps for the webhooks that the server called outside of any plugin since the last call of
// callSteps: those that authorize, and those that convert objects. The steps begin at start. Their time counts as time
// of the request.
func (x *exchange) callSteps(start time.Duration) (steps []trace.Step, took time.Duration) {
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
		applied, failed := counts(hooks)
		switch {
		case applied == 0:
			step.Outcome, step.Because = trace.Skipped, "no webhook is asked"
		case applied > 1:
			step.Because = fmt.Sprintf(of.many, applied)
		}
		if failed > 0 {
			step.Because += fmt.Sprintf(", %d failed", failed)
		}
		step.Hooks, step.Duration = sequential(hooks, step.Start)
		took += step.Duration
		steps = append(steps, step)
	}
	return steps, took
}

// counts returns how many hooks were not skipped (authorization webhooks have conditions), and how many of them failed.
func counts(hooks []trace.Hook) (applied, failed int) {
	for _, h := range hooks {
		if h.Outcome != trace.Skipped {
			applied++
		}
		if h.Outcome == trace.Failed {
			failed++
		}
	}
	return applied, failed
}

// sequential sets the indices and start times of hooks that are called one after the other, beginning at start.
func sequential(hooks []trace.Hook, start time.Duration) (_ []trace.Hook, took time.Duration) {
	for i := range hooks {
		hooks[i].Index, hooks[i].Start = i, start+took
		took += hooks[i].Duration
	}
	return hooks, took
}

// callsBefore returns the steps for the calls before a phase.
func (x *exchange) callsBefore() []trace.Step {
	steps, took := x.callSteps(x.elapsed)
	x.elapsed += took
	return steps
}

// callsDuring inserts the calls that plugins of a phase needed before the steps of that phase, which begin at index
// first. The whole phase is delayed by the time of the calls.
func (x *exchange) callsDuring(steps []trace.Step, first int) ([]trace.Step, time.Duration) {
	calls, took := x.callSteps(x.elapsed)
	if len(calls) == 0 {
		return steps, 0
	}
	steps = slices.Insert(steps, first, calls...)
	for i := range steps[first+len(calls):] {
		later := &steps[first+len(calls)+i]
		later.Start += took
		for j := range later.Hooks {
			later.Hooks[j].Start += took
		}
		sent := later.Did().Sent
		for j := range sent {
			sent[j].Start += took
		}
	}
	return steps, took
}

// callsAfter records the calls after the last phase. If the request was denied, they were made before that.
func (x *exchange) callsAfter() {
	calls, took := x.callSteps(x.elapsed)
	x.elapsed += took
	if len(calls) == 0 || len(x.admissions) == 0 {
		return
	}
	now := x.admission()
	now.Elapsed += took
	at := slices.IndexFunc(now.Steps, func(s trace.Step) bool { return s.Outcome.Ends() })
	if at < 0 {
		at = len(now.Steps)
	}
	now.Steps = slices.Insert(now.Steps, at, calls...)
}
