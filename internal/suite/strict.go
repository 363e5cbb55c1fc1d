package suite

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/pkg/simulator"
)

// strict notes what would make suites pass by accident: backends and answers that no case
// needs, faults that nobody has, webhooks that no case reaches. What several suites share has to be needed by one of
// them. Nothing is said where not every case ran to its end as expected: that comes first.
func (r *run) strict(out *outcome.Results, seen *ledger) {
	for i, s := range r.suites {
		if s.partial || s.err != nil || out.Suites[i].Summary().Passed < len(out.Suites[i].Cases) {
			return
		}
	}
	if !r.AllowUnused {
		r.unused(out)
		r.faultless(out)
	}
	if !r.AllowUnreached {
		r.unreached(out, seen)
	}
}

// unused notes what was declared and never asked, of backends that several releases, cases
// and suites may have each of their own.
func (r *run) unused(out *outcome.Results) {
	unused := make([]scenario.Errors, len(r.suites))
	used := map[scenario.Source]bool{}
	for i, s := range r.suites {
		for _, b := range s.backends() {
			errs := unusedOf(b, s.simulators())
			unused[i] = append(unused[i], errs...)
			without := map[scenario.Source]bool{}
			for _, e := range errs {
				without[e.Source] = true
			}
			for _, d := range b.Declared() {
				if without[d.Source] {
					continue
				}
				used[d.Source] = true
				for _, a := range d.Answers {
					used[a.Source] = used[a.Source] || !without[a.Source]
				}
			}
		}
	}
	told := map[scenario.Source]bool{}
	for i, errs := range unused {
		for _, e := range errs {
			if !used[e.Source] && !told[e.Source] {
				told[e.Source] = true
				out.Suites[i].Problems = append(out.Suites[i].Problems, e)
			}
		}
	}
}

// unusedOf is what of b no case needed, each as an error.
func unusedOf(b *backends.Backends, in []*simulator.Simulator) scenario.Errors {
	unused := b.Unused(true, in...)
	errs := unused.Misnamed
	for _, d := range unused.NotAsked {
		errs = append(errs, &scenario.Error{
			Source:  d.Source,
			Message: fmt.Sprintf("the backend of %q was never asked", d.Webhook),
			Hint:    "add a case whose request the webhook is called for, or drop the backend; --allow-unused accepts it",
		})
	}
	return append(errs, unused.NotGiven...)
}

// faultless notes the matrices with faults that no webhook ever had, as none of those they are for was called:
// who is asked nothing cannot fail, and the case passes whatever the failure policy. An author who knows says
// so by trace.notCalled or trace.skipped.
func (r *run) faultless(out *outcome.Results) {
	for i, s := range r.suites {
		had := map[*scenario.Case]bool{}
		for _, u := range s.units {
			if u.faulty != nil {
				had[u.of] = had[u.of] || len(u.faulty.Unused()) == 0
			}
		}
		for j := range s.suite.Cases {
			c := &s.suite.Cases[j]
			if given, faulty := had[c]; given || !faulty || knowsWhoIsNotCalled(c) {
				continue
			}
			uncalled := "no webhook was called"
			if c.Matrix.Webhook != "" {
				uncalled = c.Matrix.Webhook + " was not called"
			}
			out.Suites[i].Problems = append(out.Suites[i].Problems, &scenario.Error{
				Source:  c.Matrix.Source,
				Message: fmt.Sprintf("case %q never had one of its faults: %s", c.Name, uncalled),
				Hint:    "ask what a webhook is called for, or name it under trace.notCalled; --allow-unused accepts it",
			})
		}
	}
}

// knowsWhoIsNotCalled reports whether anything in a case says that somebody is not called.
func knowsWhoIsNotCalled(c *scenario.Case) bool {
	says := func(e scenario.Expect) bool {
		return e.Trace != nil && len(e.Trace.NotCalled)+len(e.Trace.Skipped) > 0
	}
	return slices.ContainsFunc(c.Steps, func(step scenario.CaseStep) bool {
		return slices.ContainsFunc(step.Expect, func(e scenario.Expect) bool {
			return says(e) || slices.ContainsFunc(e.Expand, func(child scenario.ChildExpect) bool { return says(child.Expect) })
		})
	})
}

// simulators are those of the clusters that the cases of a suite find.
func (s *suiteRun) simulators() (all []*simulator.Simulator) {
	for _, key := range sorted(s.variants) {
		if w := s.variants[key].world; w != nil {
			all = append(all, w.Simulator())
		}
	}
	return all
}

// unreached notes the webhooks that no case calls, with the first suite that has them.
func (r *run) unreached(out *outcome.Results, seen *ledger) {
	of := map[string]int{} // by place, the suite
	for i := len(r.suites) - 1; i >= 0; i-- {
		one := &ledger{parts: map[partKey]*outcome.Covered{}}
		for _, sim := range r.suites[i].simulators() {
			one.declare(sim)
		}
		for key := range one.parts {
			of[key.source] = i
		}
	}
	for _, c := range out.Coverage.Items {
		if c.Part != outcome.WebhookPart || c.Times > 0 {
			continue
		}
		key := partKey{outcome.WebhookPart, c.Of, "", "", c.Source.String()}
		e := &scenario.Error{Source: c.Source, Message: fmt.Sprintf("no case reaches webhook %s", c.Of),
			Hint: "add a case that does, or take it out of the world; --allow-unreached accepts it"}
		if why := seen.lately[key]; why != "" {
			e.Message += "; it was skipped: " + why
		}
		i := of[c.Source.String()]
		out.Suites[i].Problems = append(out.Suites[i].Problems, e)
	}
}
