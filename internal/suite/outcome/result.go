// Package outcome holds the results of suites as plain data: [Results], what was reached of the admission configuration
// ([Coverage]), everything that is wrong ([Troubles]), and the document that admsim test -o json prints.
//
// The package runs nothing, and does not know what text or a page looks like.
package outcome

import (
	"errors"
	"time"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/yamldoc"
)

// Results are the results of several suites, in the order in which they were given.
type Results struct {
	Suites   []Suite
	Coverage *Coverage
	Took     time.Duration // real time
}

// A Suite is the result of one suite.
type Suite struct {
	Name   string
	Source yamldoc.Source
	Cases  []Case // in the order of the file

	// Err says why the suite could not be run at all; it may be a [yamldoc.Errors].
	Err error

	// Problems are about the suite as a whole: backends that were never called, webhooks that no case reached.
	Problems []*yamldoc.Error

	// Warnings are what the author may want to know.
	Warnings []*yamldoc.Error

	Took time.Duration // real time
}

// An Outcome says how a case ended.
type Outcome string

const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"  // not as expected
	Errored Outcome = "error"   // admsim could not tell
	Skipped Outcome = "skipped" // not run
)

// A Case is the result of one case, or of one combination of its matrix.
type Case struct {
	Suite  string
	Name   string // without the suite; with a matrix, name[kubernetesVersion=1.34,fault=timeout]
	Source yamldoc.Source

	Outcome  Outcome
	Skip     string    // Skipped: why
	Err      error     // Errored: why; may be a [yamldoc.Errors]
	Failures []Failure // Failed: everything that is not as expected

	// Answers are the requests with their answers, in order: mostly one; one for each step, and with expand also those
	// that follow from the workload.
	Answers []Answer

	// Updated are golden files that were written.
	Updated []string

	Elapsed time.Duration // virtual: as the API server would have taken
	Took    time.Duration // real
}

// FullName is suite/case.
func (c Case) FullName() string { return c.Suite + "/" + c.Name }

// Show converts an answer to the form that is shown.
type Show func() (*document.Answer, error)

// An Answer is one request of a case with its answer.
type Answer struct {
	Label string // the step, or the kind of an expanded object; empty if there is only one answer

	// Show converts the answer to the form that is shown. It is only called when needed: few answers are shown.
	Show Show
}

// A Failure is one expectation that does not hold.
type Failure struct {
	Source yamldoc.Source // of the expectation
	Path   string         // such as expect.message, or steps[1].expect.code

	Want string // one line or several
	Got  string
	Diff string // of objects and long texts: a unified diff, - wanted, + got
	Hint string

	Answer int // index into the case's Answers
}

// A Summary counts cases.
type Summary struct {
	Passed, Failed, Errored, Skipped int
	Problems                         int // errors of suites as a whole
}

// Summary counts the cases of r.
func (r Suite) Summary() (s Summary) {
	for _, c := range r.Cases {
		s.count(c.Outcome)
	}
	s.Problems = countOf(r.wrong()...)
	return s
}

// Summary counts the cases of all suites. A problem that several suites share counts once.
func (r *Results) Summary() (s Summary) {
	for _, one := range r.Suites {
		s.add(one.Summary())
	}
	s.Problems = countOf(r.Wrong()...)
	return s
}

// Wrong returns what is wrong with each suite as a whole.
func (r *Results) Wrong() (all []error) {
	for _, one := range r.Suites {
		all = append(all, one.wrong()...)
	}
	return all
}

func (r Suite) wrong() []error {
	all := []error{r.Err}
	for _, p := range r.Problems {
		all = append(all, p)
	}
	return all
}

// countOf counts the errors in errs.
func countOf(errs ...error) int {
	var each yamldoc.Errors
	errors.As(yamldoc.Together(errs...), &each)
	return len(each)
}

func (s *Summary) count(o Outcome) {
	switch o {
	case Passed:
		s.Passed++
	case Failed:
		s.Failed++
	case Errored:
		s.Errored++
	case Skipped:
		s.Skipped++
	}
}

func (s *Summary) add(t Summary) {
	s.Passed += t.Passed
	s.Failed += t.Failed
	s.Errored += t.Errored
	s.Skipped += t.Skipped
}

// Cases returns the number of cases.
func (s Summary) Cases() int { return s.Passed + s.Failed + s.Errored + s.Skipped }

// OK reports whether everything is as expected.
func (s Summary) OK() bool { return s.Failed+s.Errored+s.Problems == 0 }
