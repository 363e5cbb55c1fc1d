package variants

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/simulator"
)

// Unused returns an error for each backend and answer of the suite that no case needed. It adds the places of what was
// needed to used: several releases, cases and suites may each have their own backend for one declaration.
func (s *Suite) Unused(used map[scenario.Source]bool) (unused scenario.Errors) {
	for _, b := range s.backends() {
		errs := unusedOf(b, s.simulators())
		unused = append(unused, errs...)
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
	return unused
}

// unusedOf returns an error for each part of b that no case needed.
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

// simulators returns the simulators of the worlds that could be made.
func (s *Suite) simulators() (all []*simulator.Simulator) {
	for _, v := range s.All() {
		if sim := v.Simulator(); sim != nil {
			all = append(all, sim)
		}
	}
	return slices.Clip(all)
}
