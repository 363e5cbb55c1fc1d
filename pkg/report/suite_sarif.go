package report

import (
	"encoding/json"
	"io"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/admsim/admsim/pkg/suite"
)

// writeSuitesSARIF writes what is wrong with suites as SARIF 2.1.0, at the places of the
// expectations that do not hold.
func writeSuitesSARIF(w io.Writer, r *suite.Results, _ Options) error {
	run := sarif.NewRunWithInformationURI("admsim", home)
	run.Results = []*sarif.Result{}
	index := map[troubleSort]int{}
	for i, rule := range suiteRules {
		index[rule.sort] = i
		run.AddRule(string(rule.sort)).
			WithShortDescription(sarif.NewMultiformatMessageString().WithText(rule.about)).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(rule.level)).
			WithHelpURI(home + "/blob/main/docs/output.md#sarif")
	}
	for _, s := range r.Suites {
		for _, t := range troubles(s) {
			run.AddResult(troubleResult(t, index[t.sort]))
		}
	}
	log := sarif.NewReport()
	log.AddRun(run)
	return writeLog(w, log, nil)
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

func troubleResult(t trouble, rule int) *sarif.Result {
	r := sarif.NewRuleResult(string(t.sort)).
		WithRuleIndex(rule).
		WithLevel(suiteRules[rule].level).
		WithMessage(sarif.NewTextMessage(t.of + ": " + t.full()))
	name := t.of
	if t.path != "" {
		name += " " + t.path
	}
	logical := []*sarif.LogicalLocation{sarif.NewLogicalLocation().WithFullyQualifiedName(name)}
	if t.at.File == "" {
		return r.WithLocations([]*sarif.Location{sarif.NewLocation().WithLogicalLocations(logical)})
	}
	return r.WithLocations([]*sarif.Location{sarifLocation(Place(t.at)).WithLogicalLocations(logical)})
}

// writeLog writes a log without what there is none of, and as changed at the end.
func writeLog(w io.Writer, log *sarif.Report, change func(any)) error {
	data, err := json.Marshal(log)
	if err != nil {
		return err
	}
	var fields any
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	withoutEmpty(fields)
	if change != nil {
		change(fields)
	}
	return writeIndented(w, fields)
}
