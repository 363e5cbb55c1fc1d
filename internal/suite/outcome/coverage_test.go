package outcome_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/yamldoc"
)

// of returns parts of one owner in one file, reached so many times.
func of(owner, file string, times ...int) (all []outcome.Covered) {
	for i, n := range times {
		all = append(all, outcome.Covered{Part: outcome.RulePart, Of: owner, Source: yamldoc.Source{File: file, Line: i + 1}, Times: n})
	}
	return all
}

func join(lists ...[]outcome.Covered) (all []outcome.Covered) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func passed(items []outcome.Covered) *outcome.Results {
	return &outcome.Results{
		Suites:   []outcome.Suite{{Name: "a", Cases: []outcome.Case{{Suite: "a", Name: "b", Outcome: outcome.Passed}}}},
		Coverage: &outcome.Coverage{Items: items},
	}
}

// Too little coverage is a failed case that names the largest gaps, the largest first.
func TestRequire(t *testing.T) {
	items := join(of("whole", "a.yaml", 1, 1), of("half", "a.yaml", 1, 0), of("none", "a.yaml", 0, 0, 0), of("half", "b.yaml", 0, 1), of("last", "c.yaml", 0))
	for _, tt := range []struct {
		items    []outcome.Covered
		minimum  float64
		got, why string
	}{
		{items, 40, "", ""},
		{items, 90, "40.0 %", "the largest gaps are none (3 of 3 parts not reached, a.yaml:1), half (1 of 2 parts not reached, a.yaml:2), " +
			"half (1 of 2 parts not reached, b.yaml:1), and 1 more; --coverage lists every part"},
		{of("half", "a.yaml", 1, 0), 51, "50.0 %", "the only gap is half (1 of 2 parts not reached, a.yaml:2); --coverage lists every part"},
		{of("nearly", "a.yaml", append(make([]int, 1), many(1999)...)...), 100, "99.9 %", "the only gap is nearly (1 of 2,000 parts not reached, a.yaml:1); --coverage lists every part"},
		{nil, 100, "", ""},
	} {
		r := passed(tt.items)
		r.Require(tt.minimum)
		var got, why string
		if len(r.Suites) > 1 {
			got, why = r.Suites[1].Cases[0].Failures[0].Got, r.Suites[1].Cases[0].Failures[0].Hint
		}
		if diff := cmp.Diff([]string{tt.got, tt.why}, []string{got, why}); diff != "" {
			t.Errorf("at least %g of %d parts (-want +got):\n%s", tt.minimum, len(tt.items), diff)
		}
	}
}

func many(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = 1
	}
	return all
}

// Other failures come first.
func TestRequireOfFailed(t *testing.T) {
	r := passed(of("none", "a.yaml", 0))
	r.Suites[0].Cases[0].Outcome = outcome.Failed
	r.Require(100)
	if len(r.Suites) > 1 {
		t.Errorf("a failed run has to reach %v, too", r.Suites[1].Cases[0].Failures)
	}
}

func TestUndecided(t *testing.T) {
	c := outcome.Coverage{Plugins: []outcome.PluginUse{{Name: "AlwaysPullImages", Ran: 2, Decided: 1}, {Name: "LimitRanger", Ran: 2}}}
	if diff := cmp.Diff([]string{"LimitRanger"}, c.Undecided()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
