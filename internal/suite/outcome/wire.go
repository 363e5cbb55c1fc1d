package outcome

import (
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/report/document"
)

// Document converts the results to the form in which they are shown.
func (r *Results) Document(o document.Options) (*document.SuiteResults, error) {
	shown := &document.SuiteResults{
		TypeMeta: document.TypeMeta(document.SuiteResultsKind),
		Summary:  suiteCounts(r.Summary()),
		Suites:   []document.SuiteResult{},
		Took:     metav1.Duration{Duration: r.Took},
	}
	for _, s := range r.Suites {
		one := document.SuiteResult{Name: s.Name, Source: s.Source.String(), Summary: suiteCounts(s.Summary()), Cases: []document.CaseResult{}, Took: metav1.Duration{Duration: s.Took}}
		for _, t := range WholeTroubles(s) {
			one.Problems = append(one.Problems, shownTrouble(t))
		}
		for _, w := range s.Warnings {
			one.Warnings = append(one.Warnings, shownTrouble(TroubleOf(SuiteWarning, s.Name, s.Source, w)))
		}
		for _, c := range s.Cases {
			if o.FailOnly && c.Outcome != Failed && c.Outcome != Errored {
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

func suiteCounts(s Summary) document.SuiteCounts {
	return document.SuiteCounts{Passed: s.Passed, Failed: s.Failed, Errors: s.Errored, Skipped: s.Skipped, Problems: s.Problems}
}

func shownTrouble(t Trouble) document.Trouble {
	return document.Trouble{Source: t.At.String(), Message: t.Text, Hint: t.Hint}
}

func newCase(c Case, o document.Options) (document.CaseResult, error) {
	shown := document.CaseResult{
		Name: c.FullName(), Source: c.Source.String(), Outcome: string(c.Outcome), Because: c.Skip, Updated: c.Updated,
		Elapsed: metav1.Duration{Duration: c.Elapsed}, Took: metav1.Duration{Duration: c.Took},
	}
	for _, err := range each(c.Err) {
		shown.Errors = append(shown.Errors, shownTrouble(TroubleOf(CouldNotTell, c.FullName(), c.Source, err)))
	}
	for _, f := range c.Failures {
		shown.Failures = append(shown.Failures, document.SuiteFailure{
			Source: f.Source.String(), Path: f.Path, Want: f.Want, Got: f.Got, Diff: f.Diff, Hint: f.Hint, Answer: f.Answer,
		})
	}
	if c.Outcome != Failed && c.Outcome != Errored && !o.Verbose {
		return shown, nil
	}
	for _, a := range c.Answers {
		result, err := a.Show()
		if err != nil {
			return shown, fmt.Errorf("case %s: %w", c.FullName(), err)
		}
		shown.Answers = append(shown.Answers, document.CaseAnswer{Label: a.Label, Result: *result.Result})
	}
	return shown, nil
}

func coverageOf(c *Coverage) *document.SuiteCoverage {
	if c == nil {
		return nil
	}
	shown := &document.SuiteCoverage{Percent: tenths(c.Percent()), Parts: []document.CoverageSum{}, Items: []document.CoverageItem{}}
	for _, n := range c.Counts() {
		shown.Parts = append(shown.Parts, document.CoverageSum{Part: string(n.Part), Reached: n.Reached, Total: n.Total})
	}
	for _, i := range c.Items {
		shown.Items = append(shown.Items, document.CoverageItem{Part: string(i.Part), Of: i.Of, What: i.What, Branch: i.Branch, Source: i.Source.String(), Times: i.Times})
	}
	for _, p := range c.Plugins {
		shown.Plugins = append(shown.Plugins, document.CoveragePlugin{Name: p.Name, Ran: p.Ran, Decided: p.Decided})
	}
	return shown
}

// WriteLines writes a line of JSON for each case, and a summary line.
func WriteLines(w io.Writer, r *Results, o document.Options) error {
	s, err := r.Document(o)
	if err != nil {
		return err
	}
	end := document.SuiteSummary{TypeMeta: document.TypeMeta(document.SuiteSummaryKind), Summary: s.Summary, Suites: []document.SuiteResult{}, Coverage: s.Coverage}
	for _, one := range s.Suites {
		for _, c := range one.Cases {
			if err := encode.JSON(w, document.CaseLine{TypeMeta: document.TypeMeta(document.CaseResultKind), CaseResult: c}); err != nil {
				return err
			}
		}
		one.Cases = []document.CaseResult{}
		end.Suites = append(end.Suites, one)
	}
	return encode.JSON(w, end)
}
