package cases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/scenario"
)

// A Combination has one value for each axis of a matrix; the value is empty if the matrix does not have the axis.
type Combination struct {
	Release, FailurePolicy, Fault string
}

// Combinations returns all combinations of a matrix, with the last axis changing fastest. For an empty matrix it
// returns one empty combination.
func Combinations(m scenario.Matrix) (all []Combination) {
	orNone := func(values []string) []string {
		if len(values) == 0 {
			return []string{""}
		}
		return values
	}
	for _, release := range orNone(m.Releases) {
		for _, policy := range orNone(m.FailurePolicies) {
			for _, fault := range orNone(m.Faults) {
				all = append(all, Combination{release, policy, fault})
			}
		}
	}
	return all
}

// namesIn returns the names of a case, one for each combination of its matrix.
func namesIn(c scenario.Case) (all []string) {
	for _, one := range Combinations(c.Matrix) {
		all = append(all, c.Name+one.String())
	}
	return all
}

// String returns the suffix that the combination adds to the name of a case.
func (c Combination) String() string {
	var parts []string
	for _, axis := range []string{scenario.ReleaseAxis, scenario.FailurePolicyAxis, scenario.FaultAxis} {
		if value := c.of(axis); value != "" {
			parts = append(parts, axis+"="+value)
		}
	}
	if parts == nil {
		return ""
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (c Combination) of(axis string) string {
	switch axis {
	case scenario.ReleaseAxis:
		return c.Release
	case scenario.FailurePolicyAxis:
		return c.FailurePolicy
	}
	return c.Fault
}

// Fits reports whether an expectation applies to c.
func (c Combination) Fits(e scenario.Expect) bool {
	for axis, value := range e.When {
		if c.of(axis) != value {
			return false
		}
	}
	return true
}

// Unexpected returns an error for each step of a case that expects something, but nothing for some combinations of the
// matrix. A step that expects nothing at all is reported when it is read.
func Unexpected(c *scenario.Case) (errs []error) {
	for _, step := range c.Steps {
		var without []string
		for _, one := range Combinations(c.Matrix) {
			if !slices.ContainsFunc(step.Expect, one.Fits) {
				without = append(without, one.String())
			}
		}
		if len(without) > 0 && len(step.Expect) > 0 {
			errs = append(errs, &scenario.Error{Source: step.Source, Message: fmt.Sprintf("case %q: nothing is expected for %s", c.Name, words.Few(without)),
				Hint: "add an entry to expect whose when matches, or one without when"})
		}
	}
	return errs
}
