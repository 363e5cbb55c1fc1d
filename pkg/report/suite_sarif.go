package report

import (
	"io"

	"github.com/admsim/admsim/internal/suite"
)

// writeSuitesSARIF writes what is wrong with suites as SARIF 2.1.0, at the places of the
// expectations that do not hold.
func writeSuitesSARIF(w io.Writer, r *suite.Results, _ Options) error {
	var rules []sarifRule
	index := map[troubleSort]int{}
	for i, rule := range suiteRules {
		index[rule.sort] = i
		rules = append(rules, sarifRule{
			ID:                   string(rule.sort),
			ShortDescription:     sarifText{rule.about},
			HelpURI:              home + "/blob/main/docs/output.md#sarif",
			DefaultConfiguration: sarifConfiguration{Enabled: true, Level: rule.level},
		})
	}
	var results []sarifResult
	for _, s := range r.Suites {
		for _, t := range troubles(s) {
			results = append(results, troubleInSARIF(t, index[t.sort]))
		}
	}
	return writeSARIFLog(w, rules, results)
}

var suiteRules = []struct {
	sort         troubleSort
	about, level string
}{
	{notAsExpected, "an expectation of a case does not hold", "error"},
	{couldNotTell, "a case or suite could not be run", "error"},
	{suiteProblem, "something is wrong with a suite as a whole", "error"},
	{suiteWarning, "something that the author of a suite may want to know", "warning"},
}

func troubleInSARIF(t trouble, rule int) sarifResult {
	name := t.of
	if t.path != "" {
		name += " " + t.path
	}
	var at sarifLocation
	if t.at.File != "" {
		at = placeInSARIF(Place(t.at))
	}
	at.LogicalLocations = []sarifLogicalLocation{{name}}
	return sarifResult{
		RuleID:    string(t.sort),
		RuleIndex: rule,
		Kind:      "fail",
		Level:     suiteRules[rule].level,
		Message:   sarifSaying(t.of + ": " + t.full()),
		Locations: []sarifLocation{at},
	}
}
