package report

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/admsim/admsim/pkg/suite"
)

// A caseView is a case of a suite as the page shows it.
type caseView struct {
	Source   string
	Skip     string
	Troubles []troubleView
	Updated  []string
	Answers  []answerView
}

type troubleView struct {
	At, Path, Text string
	Want, Got      string
	Diff           []diffLine
	Hint           string
}

type diffLine struct{ Class, Text string }

type answerView struct {
	Label string
	*resultView
}

// A coverageView is what suites reached.
type coverageView struct {
	Percent string
	Counts  []suite.Count
	Missed  []suite.Covered
}

func newSuitesPage(o Options) *htmlPage {
	return &htmlPage{options: o, command: "test", noun: "case", order: []string{"failed", "error", "passed", "skipped"}}
}

// writeSuitesHTML writes what came of suites as a page, what is wrong first.
func writeSuitesHTML(w io.Writer, r *suite.Results, o Options) error {
	p := newSuitesPage(o)
	for _, s := range r.Suites {
		if err := p.suite(s); err != nil {
			return err
		}
	}
	s := r.Summary()
	v := pageView{Good: s.OK(), Sub: summaryText(s)}
	switch wrong := s.Failed + s.Errored; {
	case wrong > 0:
		v.Verdict = fmt.Sprintf("%d of %s not as expected", wrong, plural(s.Cases(), "case"))
	case !s.OK():
		v.Verdict = fmt.Sprintf("%s of suites", plural(s.Problems, "problem"))
	case s.Passed == 0:
		v.Verdict = "No cases ran"
	default:
		v.Verdict = fmt.Sprintf("All %s as expected", plural(s.Passed, "case"))
	}
	if r.Took > 0 {
		v.Sub += " in " + r.Took.Round(time.Millisecond).String()
	}
	if c := r.Coverage; c != nil && len(c.Items) > 0 {
		v.Coverage = newCoverageView(c)
	}
	return p.write(w, v)
}

func newCoverageView(c *suite.Coverage) *coverageView {
	v := &coverageView{Percent: fmt.Sprintf("%.1f %%", c.Percent()), Counts: c.Counts()}
	for _, item := range c.Items {
		if item.Times == 0 {
			v.Missed = append(v.Missed, item)
		}
	}
	return v
}

func (p *htmlPage) suite(r suite.Result) error {
	if whole := wholeTroubles(r); len(whole) > 0 {
		row := rowView{ID: p.nextID(), Outcome: "error", Name: r.Name, Note: whole[0].title()}
		view := caseView{Source: r.Source.String(), Troubles: troubleViews(whole)}
		if err := p.row(row, "case", view, true); err != nil {
			return err
		}
	}
	for _, c := range r.Cases {
		if err := p.testCase(c); err != nil {
			return err
		}
	}
	return nil
}

func (p *htmlPage) testCase(c suite.CaseResult) error {
	all := caseTroubles(c)
	row := rowView{
		ID: p.nextID(), Outcome: string(c.Outcome), Good: c.Outcome == suite.Passed || c.Outcome == suite.Skipped,
		Name: c.FullName(), Note: c.Skip, Took: took(c.Elapsed), Micros: micros(c.Elapsed),
	}
	if len(all) > 0 {
		row.Note = all[0].title()
	}
	view := caseView{Source: c.Source.String(), Skip: c.Skip, Updated: c.Updated}
	if c.Failures == nil {
		view.Troubles = troubleViews(all)
	}
	for _, f := range c.Failures {
		view.Troubles = append(view.Troubles, failureView(c, f))
	}
	for _, a := range c.Answers {
		if a.Result == nil {
			continue
		}
		result, err := New(a.Asked, a.Result, Usual, p.options.Redactor)
		if err != nil {
			return fmt.Errorf("%s: %w", c.FullName(), err)
		}
		p.tally.result(result)
		if result.DeniedBy != nil {
			row.By = result.DeniedBy.short()
		}
		shown, err := newResultView(result, nil, p.options)
		if err != nil {
			return err
		}
		view.Answers = append(view.Answers, answerView{a.Label, shown})
	}
	return p.row(row, "case", view, !row.Good)
}

func troubleViews(all []trouble) (views []troubleView) {
	for _, t := range all {
		views = append(views, troubleView{At: t.at.String(), Path: t.path, Text: t.text, Diff: diffLines(t.detail), Hint: t.hint})
	}
	return views
}

func failureView(c suite.CaseResult, f suite.Failure) troubleView {
	v := troubleView{
		At: cmp.Or(f.Source.String(), c.Source.String()), Path: f.Path,
		Want: f.Want, Got: f.Got, Diff: diffLines(f.Diff), Hint: f.Hint,
	}
	if f.Want == "" && f.Got == "" {
		v.Text = "not as expected"
	}
	return v
}
