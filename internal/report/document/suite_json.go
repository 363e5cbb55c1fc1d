package document

import (
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/suite"
	"github.com/admsim/admsim/pkg/report"
)

// Kinds of what is printed about suites.
const (
	SuiteResultsKind = "SuiteResults"
	CaseResultKind   = "CaseResult"   // a line of jsonl
	SuiteSummaryKind = "SuiteSummary" // its last line
)

// SuiteResults are what came of suites.
type SuiteResults struct {
	report.TypeMeta
	Summary  SuiteCounts     `json:"summary"`
	Suites   []SuiteResult   `json:"suites"`
	Coverage *SuiteCoverage  `json:"coverage,omitempty"`
	Took     metav1.Duration `json:"took,omitzero"` // real time
}

// SuiteCounts count cases by how they ended.
type SuiteCounts struct {
	Passed   int `json:"passed"`
	Failed   int `json:"failed"` // not as expected
	Errors   int `json:"errors"` // admsim could not tell
	Skipped  int `json:"skipped"`
	Problems int `json:"problems"` // what is wrong with suites as a whole
}

// A SuiteResult is what came of one suite.
type SuiteResult struct {
	Name     string          `json:"name"`
	Source   string          `json:"source"`
	Summary  SuiteCounts     `json:"summary"`
	Problems []Trouble       `json:"problems,omitempty"` // of the suite as a whole
	Warnings []Trouble       `json:"warnings,omitempty"`
	Cases    []CaseResult    `json:"cases"`
	Took     metav1.Duration `json:"took,omitzero"` // real time
}

// A Trouble is something wrong at a place.
type Trouble struct {
	Source  string `json:"source,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// A CaseResult is what came of one case.
type CaseResult struct {
	Name     string         `json:"name"` // of the suite and the case, and its combination of the matrix
	Source   string         `json:"source"`
	Outcome  string         `json:"outcome"`
	Because  string         `json:"because,omitempty"` // of one that was skipped
	Errors   []Trouble      `json:"errors,omitempty"`
	Failures []SuiteFailure `json:"failures,omitempty"`
	Updated  []string       `json:"updated,omitempty"` // golden files that were written

	// Answers are those of cases that did not pass; with -v of all.
	Answers []CaseAnswer `json:"answers,omitempty"`

	Elapsed metav1.Duration `json:"elapsed"`       // as the server would have taken
	Took    metav1.Duration `json:"took,omitzero"` // real time
}

// A SuiteFailure is one expectation that does not hold.
type SuiteFailure struct {
	Source string `json:"source"`
	Path   string `json:"path"`
	Want   string `json:"want"`
	Got    string `json:"got"`
	Diff   string `json:"diff,omitempty"`
	Hint   string `json:"hint,omitempty"`
	Answer int    `json:"answer"` // the position of the answer that it is about
}

// A CaseAnswer is one request of a case and what was answered.
type CaseAnswer struct {
	Label  string        `json:"label,omitempty"`
	Result report.Result `json:"result"`
}

// A SuiteCoverage is what of the admission configuration was reached.
type SuiteCoverage struct {
	Percent float64        `json:"percent"`
	Parts   []CoverageSum  `json:"parts"`
	Items   []CoverageItem `json:"items"`
}

// A CoverageSum counts the parts of one sort.
type CoverageSum struct {
	Part    string `json:"part"`
	Reached int    `json:"reached"`
	Total   int    `json:"total"`
}

// A CoverageItem is one part of the admission configuration.
type CoverageItem struct {
	Part   string `json:"part"`
	Of     string `json:"of"`
	What   string `json:"what,omitempty"`
	Branch string `json:"branch,omitempty"`
	Source string `json:"source,omitempty"`
	Times  int    `json:"times"`
}

// A SuiteSummary ends a stream of cases.
type SuiteSummary struct {
	report.TypeMeta
	Summary  SuiteCounts    `json:"summary"`
	Suites   []SuiteResult  `json:"suites"` // without their cases
	Coverage *SuiteCoverage `json:"coverage,omitempty"`
}

// A CaseLine is a case in a stream.
type CaseLine struct {
	report.TypeMeta
	CaseResult
}

// NewSuites puts what came of suites into the form that is shown.
func NewSuites(r *suite.Results, o Options) (*SuiteResults, error) {
	shown := &SuiteResults{
		TypeMeta: typeMeta(SuiteResultsKind),
		Summary:  suiteCounts(r.Summary()),
		Suites:   []SuiteResult{},
		Took:     metav1.Duration{Duration: r.Took},
	}
	for _, s := range r.Suites {
		one := SuiteResult{Name: s.Name, Source: s.Source.String(), Summary: suiteCounts(s.Summary()), Cases: []CaseResult{}, Took: metav1.Duration{Duration: s.Took}}
		for _, t := range WholeTroubles(s) {
			one.Problems = append(one.Problems, shownTrouble(t))
		}
		for _, w := range s.Warnings {
			one.Warnings = append(one.Warnings, shownTrouble(TroubleOf(SuiteWarning, s.Name, s.Source, w)))
		}
		for _, c := range s.Cases {
			if o.FailOnly && c.Outcome != suite.Failed && c.Outcome != suite.Errored {
				continue
			}
			shownCase, err := newCase(c, o)
			if err != nil {
				return nil, err
			}
			one.Cases = append(one.Cases, shownCase)
		}
		shown.Suites = append(shown.Suites, one)
	}
	shown.Coverage = coverageOf(r.Coverage)
	return shown, nil
}

func suiteCounts(s suite.Summary) SuiteCounts {
	return SuiteCounts{Passed: s.Passed, Failed: s.Failed, Errors: s.Errored, Skipped: s.Skipped, Problems: s.Problems}
}

func shownTrouble(t SuiteTrouble) Trouble {
	return Trouble{Source: t.At.String(), Message: t.Text, Hint: t.Hint}
}

func newCase(c suite.CaseResult, o Options) (CaseResult, error) {
	shown := CaseResult{
		Name: c.FullName(), Source: c.Source.String(), Outcome: string(c.Outcome), Because: c.Skip, Updated: c.Updated,
		Elapsed: metav1.Duration{Duration: c.Elapsed}, Took: metav1.Duration{Duration: c.Took},
	}
	for _, err := range each(c.Err) {
		shown.Errors = append(shown.Errors, shownTrouble(TroubleOf(CouldNotTell, c.FullName(), c.Source, err)))
	}
	for _, f := range c.Failures {
		shown.Failures = append(shown.Failures, SuiteFailure{
			Source: f.Source.String(), Path: f.Path, Want: f.Want, Got: f.Got, Diff: f.Diff, Hint: f.Hint, Answer: f.Answer,
		})
	}
	if c.Outcome != suite.Failed && c.Outcome != suite.Errored && !o.Verbose {
		return shown, nil
	}
	for _, a := range c.Answers {
		result, err := New(a.Asked, a.Result, Usual, o.Redactor)
		if err != nil {
			return shown, fmt.Errorf("case %s: %w", c.FullName(), err)
		}
		shown.Answers = append(shown.Answers, CaseAnswer{Label: a.Label, Result: *result.Result})
	}
	return shown, nil
}

func coverageOf(c *suite.Coverage) *SuiteCoverage {
	if c == nil {
		return nil
	}
	shown := &SuiteCoverage{Percent: tenths(c.Percent()), Parts: []CoverageSum{}, Items: []CoverageItem{}}
	for _, n := range c.Counts() {
		shown.Parts = append(shown.Parts, CoverageSum{Part: string(n.Part), Reached: n.Reached, Total: n.Total})
	}
	for _, i := range c.Items {
		shown.Items = append(shown.Items, CoverageItem{Part: string(i.Part), Of: i.Of, What: i.What, Branch: i.Branch, Source: i.Source.String(), Times: i.Times})
	}
	return shown
}

// tenths has one place behind the point.
func tenths(percent float64) float64 { return float64(int(percent*10+0.5)) / 10 }

// WriteSuiteLines writes a line of JSON for each case, and one that sums up.
func WriteSuiteLines(w io.Writer, r *suite.Results, o Options) error {
	s, err := NewSuites(r, o)
	if err != nil {
		return err
	}
	end := SuiteSummary{TypeMeta: typeMeta(SuiteSummaryKind), Summary: s.Summary, Suites: []SuiteResult{}, Coverage: s.Coverage}
	for _, one := range s.Suites {
		for _, c := range one.Cases {
			if err := encode.JSON(w, CaseLine{typeMeta(CaseResultKind), c}); err != nil {
				return err
			}
		}
		one.Cases = []CaseResult{}
		end.Suites = append(end.Suites, one)
	}
	return encode.JSON(w, end)
}
