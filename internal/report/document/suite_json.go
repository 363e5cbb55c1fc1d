package document

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/report"
)

// The kinds of documents about suites.
const (
	SuiteResultsKind = "SuiteResults"
	CaseResultKind   = "CaseResult"   // a line of jsonl
	SuiteSummaryKind = "SuiteSummary" // its last line
)

// SuiteResults holds the results of suites.
type SuiteResults struct {
	report.TypeMeta
	Summary  SuiteCounts     `json:"summary"`
	Suites   []SuiteResult   `json:"suites"`
	Coverage *SuiteCoverage  `json:"coverage,omitempty"`
	Took     metav1.Duration `json:"took,omitzero"` // real time
}

// SuiteCounts counts cases by how they ended.
type SuiteCounts struct {
	Passed   int `json:"passed"`
	Failed   int `json:"failed"` // not as expected
	Errors   int `json:"errors"` // admsim could not tell
	Skipped  int `json:"skipped"`
	Problems int `json:"problems"` // problems of whole suites
}

// A SuiteResult is the result of one suite.
type SuiteResult struct {
	Name     string          `json:"name"`
	Source   string          `json:"source"`
	Summary  SuiteCounts     `json:"summary"`
	Problems []Trouble       `json:"problems,omitempty"` // of the suite as a whole
	Warnings []Trouble       `json:"warnings,omitempty"`
	Cases    []CaseResult    `json:"cases"`
	Took     metav1.Duration `json:"took,omitzero"` // real time
}

// A Trouble is a problem at a place.
type Trouble struct {
	Source  string `json:"source,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// A CaseResult is the result of one case.
type CaseResult struct {
	Name     string         `json:"name"` // of the suite and the case, with its combination of the matrix
	Source   string         `json:"source"`
	Outcome  string         `json:"outcome"`
	Because  string         `json:"because,omitempty"` // why it was skipped
	Errors   []Trouble      `json:"errors,omitempty"`
	Failures []SuiteFailure `json:"failures,omitempty"`
	Updated  []string       `json:"updated,omitempty"` // golden files that were written

	// Answers holds the answers of cases that did not pass; with -v, of all cases.
	Answers []CaseAnswer `json:"answers,omitempty"`

	Elapsed metav1.Duration `json:"elapsed"`       // the time that the server would have taken
	Took    metav1.Duration `json:"took,omitzero"` // real time
}

// A SuiteFailure is one expectation that failed.
type SuiteFailure struct {
	Source string `json:"source"`
	Path   string `json:"path"`
	Want   string `json:"want"`
	Got    string `json:"got"`
	Diff   string `json:"diff,omitempty"`
	Hint   string `json:"hint,omitempty"`
	Answer int    `json:"answer"` // the position of the answer that it is about
}

// A CaseAnswer is one request of a case and its answer.
type CaseAnswer struct {
	Label  string        `json:"label,omitempty"`
	Result report.Result `json:"result"`
}

// A SuiteCoverage says which parts of the admission configuration were reached.
type SuiteCoverage struct {
	Percent float64        `json:"percent"`
	Parts   []CoverageSum  `json:"parts"`
	Items   []CoverageItem `json:"items"`

	// Plugins lists the built-in plugins that ran. They do not count for the percentage.
	Plugins []CoveragePlugin `json:"plugins,omitempty"`
}

// A CoveragePlugin says how often a built-in plugin ran.
type CoveragePlugin struct {
	Name string `json:"name"`
	Ran  int    `json:"ran"`
	// How often it changed or refused something, warned about it, or wrote to the cluster.
	Decided int `json:"decided"`
}

// A CoverageSum counts the parts of one kind.
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
