package suite

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/coverage"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// strict reports what could make suites pass by accident: backends and answers that no case needs, faults that no
// webhook met, webhooks that no case reaches. What several suites share has to be needed by one of them. Nothing is
// reported unless every case ran and passed: other failures come first.
func (r *run) strict(out *outcome.Results, seen *coverage.Ledger) {
	for i, s := range r.suites {
		if s.partial || s.err != nil || out.Suites[i].Summary().Passed < len(out.Suites[i].Cases) {
			return
		}
	}
	if !r.AllowUnused {
		r.unused(out)
		r.unmetFaults(out)
	}
	if !r.AllowUnreached {
		r.unreached(out, seen)
	}
}

// unused reports what was declared and never used. Several releases, cases and suites may each have their own backend
// for one declaration.
func (r *run) unused(out *outcome.Results) {
	unused := make([]scenario.Errors, len(r.suites))
	used := map[scenario.Source]bool{}
	for i, s := range r.suites {
		unused[i] = s.worlds.Unused(used)
	}
	reported := map[scenario.Source]bool{}
	for i, errs := range unused {
		for _, e := range errs {
			if !used[e.Source] && !reported[e.Source] {
				reported[e.Source] = true
				out.Suites[i].Problems = append(out.Suites[i].Problems, e)
			}
		}
	}
}

// unmetFaults reports matrices with faults that no webhook met, since none of the webhooks was called: such a case
// passes whatever the failure policy. An author who knows that uses trace.notCalled or trace.skipped.
func (r *run) unmetFaults(out *outcome.Results) {
	for i, s := range r.suites {
		had := map[*scenario.Case]bool{}
		for _, u := range s.units {
			if u.fault != nil {
				had[u.of] = had[u.of] || u.fault.Given()
			}
		}
		for j := range s.suite.Cases {
			c := &s.suite.Cases[j]
			if given, faulty := had[c]; given || !faulty || expectsNotCalled(c) {
				continue
			}
			uncalled := "no webhook was called"
			if c.Matrix.Webhook != "" {
				uncalled = c.Matrix.Webhook + " was not called"
			}
			out.Suites[i].Problems = append(out.Suites[i].Problems, &scenario.Error{
				Source:  c.Matrix.Source,
				Message: fmt.Sprintf("case %q never had one of its faults: %s", c.Name, uncalled),
				Hint:    "send a request for which a webhook is called, or name the webhook under trace.notCalled; --allow-unused accepts it",
			})
		}
	}
}

// expectsNotCalled reports whether a case expects that some webhook is not called.
func expectsNotCalled(c *scenario.Case) bool {
	says := func(e scenario.Expect) bool {
		return e.Trace != nil && len(e.Trace.NotCalled)+len(e.Trace.Skipped) > 0
	}
	return slices.ContainsFunc(c.Steps, func(step scenario.CaseStep) bool {
		return slices.ContainsFunc(step.Expect, func(e scenario.Expect) bool {
			return says(e) || slices.ContainsFunc(e.Expand, func(child scenario.ChildExpect) bool { return says(child.Expect) })
		})
	})
}

// unreached reports the webhooks that no case calls, for the first suite that has them.
func (r *run) unreached(out *outcome.Results, seen *coverage.Ledger) {
	of := map[string]int{} // by place, the suite
	for i := len(r.suites) - 1; i >= 0; i-- {
		one := coverage.NewLedger()
		for _, v := range r.suites[i].worlds.All() {
			if sim := v.Simulator(); sim != nil {
				one.Declare(sim)
			}
		}
		for source := range one.Sources() {
			of[source] = i
		}
	}
	var asked []string
	for _, u := range r.units {
		asked = append(asked, u.asked...)
	}
	for _, c := range out.Coverage.Items {
		if c.Part != outcome.WebhookPart || c.Times > 0 || slices.Contains(asked, c.Source.String()) {
			continue
		}
		e := &scenario.Error{Source: c.Source, Message: fmt.Sprintf("no case reaches webhook %s", c.Of),
			Hint: "add a case that does, or remove it from the world; --allow-unreached accepts it"}
		if why := seen.Skipped(c); why != "" {
			e.Message += "; it was skipped: " + why
		}
		i := of[c.Source.String()]
		out.Suites[i].Problems = append(out.Suites[i].Problems, e)
	}
}
