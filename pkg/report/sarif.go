package report

import (
	"io"
	"net/url"
	"path/filepath"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/admsim/admsim/pkg/lint"
)

const home = "https://github.com/admsim/admsim"

// writeSARIF writes findings as SARIF 2.1.0, which code scanners read. What is suppressed
// is in it, with its reason.
func writeSARIF(w io.Writer, l *Lint) error {
	run := sarif.NewRunWithInformationURI("admsim", home)
	run.Results = []*sarif.Result{} // a run that found nothing has an empty list
	index := map[string]int{}
	for i, rule := range lint.Rules() {
		index[rule.ID] = i
		describe(run.AddRule(rule.ID), rule)
	}
	for _, f := range l.Findings {
		run.AddResult(sarifResult(f, index[f.Rule]))
	}
	for _, f := range l.Suppressed {
		run.AddResult(sarifResult(f, index[f.Rule]).WithSuppressions([]*sarif.Suppression{
			sarif.NewSuppression().WithKind("inSource").WithJustification(f.Reason),
		}))
	}
	log := sarif.NewReport()
	log.AddRun(run)
	var change func(any)
	if len(l.Suppressed) > 0 {
		change = sayNotSuppressed
	}
	return writeLog(w, log, change)
}

// withoutEmpty leaves out what the library writes for everything that there is none of:
// empty lists, and -1 for a number that is not known, which is also what the schema takes
// for granted. A list of results that is empty says that nothing was found.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if empty(value) && key != "results" {
				delete(v, key)
				continue
			}
			v[key] = withoutEmpty(value)
		}
	case []any:
		for i := range v {
			v[i] = withoutEmpty(v[i])
		}
	}
	return v
}

// sayNotSuppressed gives every result a list of suppressions, which all have to have where
// one has it (SARIF 2.1.0, 3.27.23).
func sayNotSuppressed(log any) {
	run := log.(map[string]any)["runs"].([]any)[0].(map[string]any)
	for _, r := range run["results"].([]any) {
		if result := r.(map[string]any); result["suppressions"] == nil {
			result["suppressions"] = []any{}
		}
	}
}

func empty(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	case float64:
		return v == -1
	}
	return v == nil
}

func describe(d *sarif.ReportingDescriptor, rule lint.Rule) {
	d.WithName(rule.Name).
		WithShortDescription(sarif.NewMultiformatMessageString().WithText(rule.Title)).
		WithFullDescription(sarif.NewMultiformatMessageString().WithText(rule.Why)).
		WithHelp(sarif.NewMultiformatMessageString().WithText("Remedy: " + rule.Remedy)).
		WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(sarifLevel(string(rule.Severity)))).
		WithHelpURI(home + "/blob/main/docs/lint.md#" + rule.Name)
}

func sarifResult(f Finding, rule int) *sarif.Result {
	r := sarif.NewRuleResult(f.Rule).
		WithRuleIndex(rule).
		WithLevel(sarifLevel(f.Severity)).
		WithMessage(sarif.NewTextMessage(f.Message + ". Remedy: " + f.Remedy)).
		WithLocations([]*sarif.Location{sarifLocation(f.At).WithLogicalLocations(logical(f))})
	for i, related := range f.Related {
		r.AddRelatedLocation(sarifLocation(related.At).WithID(i).WithMessage(sarif.NewTextMessage(related.Message)))
	}
	return r
}

func sarifLevel(severity string) string {
	if severity == string(lint.Info) {
		return "note"
	}
	return severity
}

func sarifLocation(p Place) *sarif.Location {
	at := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(fileURI(p.File)))
	if p.Line > 0 {
		at.WithRegion(sarif.NewRegion().WithStartLine(p.Line).WithStartColumn(max(p.Column, 1)))
	}
	return sarif.NewLocationWithPhysicalLocation(at)
}

// fileURI is the relative reference that stands for a path.
func fileURI(file string) string {
	return (&url.URL{Path: filepath.ToSlash(file)}).String()
}

func logical(f Finding) []*sarif.LogicalLocation {
	if f.Object == "" {
		return nil
	}
	name := f.Object
	if f.Field != "" {
		name += "." + f.Field
	}
	return []*sarif.LogicalLocation{sarif.NewLogicalLocation().WithFullyQualifiedName(name)}
}
