// Package cases has the names of the cases of suites, and which cases run: each in every [Combination] of its matrix,
// chosen by a [Selection].
package cases

import (
	"slices"

	"github.com/admsim/admsim/internal/scenario"
)

// A Name is the name of a case in one combination of its matrix, with the place of its suite.
type Name struct {
	Suite, Name string
	Case        string // the name without the combination
	Source      scenario.Source
}

func (c Name) String() string { return c.Suite + "/" + c.Name }

// Names are names of cases, in the order in which they run.
type Names []Name

// Of returns the names of the cases of a suite.
func Of(s *scenario.Suite) (all Names) {
	for _, c := range s.Cases {
		for _, name := range namesIn(c) {
			all = append(all, Name{s.Name, name, c.Name, s.Source})
		}
	}
	return all
}

// Selected returns the names that are selected.
func (all Names) Selected(selects Selection) (found Names) {
	for _, one := range all {
		if selects == nil || selects(one.Suite, one.Name) {
			found = append(found, one)
		}
	}
	return found
}

// selectedBy returns the names that an expression selects, none if it is invalid.
func (all Names) selectedBy(expression string) Names {
	selects, err := ParseSelection(expression)
	if err != nil || selects == nil {
		return nil
	}
	return all.Selected(selects)
}

// suites returns the names of the suites, without duplicates.
func (all Names) suites() (names []string) {
	for _, one := range all {
		if !slices.Contains(names, one.Suite) {
			names = append(names, one.Suite)
		}
	}
	return names
}

// names returns suite/case for each case, once for all combinations of its matrix.
func (all Names) names() (names []string) {
	for _, one := range all {
		if name := one.Suite + "/" + one.Case; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
