package world

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/fault"
	"github.com/admsim/admsim/internal/scenario"
)

// Faults of both bags apply, those that come on top first.
func TestOverlaidFaults(t *testing.T) {
	below, over := fault.Rule{Kind: fault.Conflict}, fault.Rule{Kind: fault.Lost}
	got := Overlaid(scenario.Bag{Faults: []fault.Rule{below}}, scenario.Bag{Faults: []fault.Rule{over}}).Faults
	if want := []fault.Rule{over, below}; !cmp.Equal(got, want) {
		t.Errorf("the faults are %v, want %v", got, want)
	}
}
