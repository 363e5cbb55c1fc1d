package suite

import (
	"slices"

	"github.com/admsim/admsim/internal/scenario"
)

// A CaseName is what a case is called, in one combination of its matrix, and where its suite is.
type CaseName struct {
	Suite, Name string
	Case        string // the name without the combination
	Source      scenario.Source
}

func (c CaseName) String() string { return c.Suite + "/" + c.Name }

// CaseNames are the names of cases, in the order in which they run.
type CaseNames []CaseName

// namesOf are the names of the cases of a suite.
func namesOf(s *scenario.Suite) (all CaseNames) {
	for _, c := range s.Cases {
		for _, name := range variantNames(c) {
			all = append(all, CaseName{s.Name, name, c.Name, s.Source})
		}
	}
	return all
}

// Selected are those that are selected.
func (all CaseNames) Selected(selects Selection) (found CaseNames) {
	for _, one := range all {
		if selects == nil || selects(one.Suite, one.Name) {
			found = append(found, one)
		}
	}
	return found
}

// selectedBy are those that an expression selects, none where it is not one.
func (all CaseNames) selectedBy(expression string) CaseNames {
	selects, err := ParseSelection(expression)
	if err != nil || selects == nil {
		return nil
	}
	return all.Selected(selects)
}

// suites are the names of the suites, each once.
func (all CaseNames) suites() (names []string) {
	for _, one := range all {
		if !slices.Contains(names, one.Suite) {
			names = append(names, one.Suite)
		}
	}
	return names
}

// names are suite/case, each once for all combinations of its matrix.
func (all CaseNames) names() (names []string) {
	for _, one := range all {
		if name := one.Suite + "/" + one.Case; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
