package ci

import (
	"io"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// WriteSuitesSARIF writes the problems of suites as SARIF 2.1.0, at the places of the expectations that failed.
func WriteSuitesSARIF(w io.Writer, r *outcome.Results, _ document.Options) error {
	var rules []sarifRule
	index := map[outcome.Sort]int{}
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
		for _, t := range outcome.Troubles(s) {
			results = append(results, troubleInSARIF(t, index[t.Sort]))
		}
	}
	return writeSARIFLog(w, rules, results)
}

var suiteRules = []struct {
	sort         outcome.Sort
	about, level string
}{
	{outcome.NotAsExpected, "an expectation of a case does not hold", "error"},
	{outcome.CouldNotTell, "a case or suite could not be run", "error"},
	{outcome.SuiteProblem, "something is wrong with a suite as a whole", "error"},
	{outcome.SuiteWarning, "something that the author of a suite may want to know", "warning"},
}

func troubleInSARIF(t outcome.Trouble, rule int) sarifResult {
	name := t.Of
	if t.Path != "" {
		name += " " + t.Path
	}
	var at sarifLocation
	if t.At.File != "" {
		at = placeInSARIF(document.Place(t.At))
	}
	at.LogicalLocations = []sarifLogicalLocation{{name}}
	return sarifResult{
		RuleID:    string(t.Sort),
		RuleIndex: rule,
		Kind:      "fail",
		Level:     suiteRules[rule].level,
		Message:   sarifSaying(t.Of + ": " + t.Full()),
		Locations: []sarifLocation{at},
	}
}
