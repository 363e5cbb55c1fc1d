package pages

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/suite/outcome"
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
	Counts  []outcome.Count
	Missed  []outcome.Covered
	Idle    []string // plugins that decided nothing
}

func newSuitesPage(o document.Options) *htmlPage {
	return &htmlPage{options: o, command: "test", noun: "case", order: []string{"failed", "error", "passed", "skipped"}}
}

// WriteSuites writes the results of suites as a page, with problems first.
func WriteSuites(w io.Writer, r *outcome.Results, o document.Options) error {
	p := newSuitesPage(o)
	for _, s := range r.Suites {
		if err := p.suite(s); err != nil {
			return err
		}
	}
	s := r.Summary()
	v := pageView{Good: s.OK(), Sub: s.String()}
	switch wrong := s.Failed + s.Errored; {
	case wrong > 0:
		v.Verdict = fmt.Sprintf("%d of %s not as expected", wrong, words.Plural(s.Cases(), "case"))
	case !s.OK():
		v.Verdict = fmt.Sprintf("%s of suites", words.Plural(s.Problems, "problem"))
	case s.Passed == 0:
		v.Verdict = "No cases ran"
	default:
		v.Verdict = fmt.Sprintf("All %s as expected", words.Plural(s.Passed, "case"))
	}
	if all := slices.Concat(p.first, p.further); len(all) == 1 { // the page shows it without its row
		v.Sub = all[0].Name + ": " + v.Sub
	}
	if r.Took > 0 {
		v.Sub += " in " + r.Took.Round(time.Millisecond).String()
	}
	if c := r.Coverage; c != nil && len(c.Items) > 0 {
		v.Coverage = newCoverageView(c)
	}
	return p.write(w, v)
}

func newCoverageView(c *outcome.Coverage) *coverageView {
	v := &coverageView{Percent: c.PercentText(), Counts: c.Counts(), Idle: c.Undecided()}
	for _, item := range c.Items {
		if item.Times == 0 {
			v.Missed = append(v.Missed, item)
		}
	}
	return v
}

func (p *htmlPage) suite(r outcome.Suite) error {
	if whole := outcome.WholeTroubles(r); len(whole) > 0 {
		row := rowView{ID: p.nextID(), Outcome: "error", Name: r.Name, Note: whole[0].Title()}
		view := &caseView{Source: r.Source.String(), Troubles: troubleViews(whole)}
		p.row(row, view, true)
	}
	for _, c := range r.Cases {
		if err := p.testCase(c); err != nil {
			return err
		}
	}
	return nil
}

func (p *htmlPage) testCase(c outcome.Case) error {
	all := outcome.CaseTroubles(c)
	row := rowView{
		ID: p.nextID(), Outcome: string(c.Outcome), Good: c.Outcome == outcome.Passed || c.Outcome == outcome.Skipped,
		Name: c.FullName(), Note: c.Skip, Took: words.Took(c.Elapsed), Micros: micros(c.Elapsed),
	}
	if len(all) > 0 {
		row.Note = all[0].Title()
	}
	view := &caseView{Source: c.Source.String(), Skip: c.Skip, Updated: c.Updated}
	if c.Failures == nil {
		view.Troubles = troubleViews(all)
	}
	for _, f := range c.Failures {
		view.Troubles = append(view.Troubles, failureView(c, f))
	}
	for _, a := range c.Answers {
		result, err := a.Show()
		if err != nil {
			return fmt.Errorf("case %s: %w", c.FullName(), err)
		}
		p.tally.request(document.CountsOf(result.Result))
		if result.DeniedBy != nil {
			row.By = shortDecider(*result.DeniedBy)
		}
		shown, err := newResultView(result, nil, p.options)
		if err != nil {
			return err
		}
		view.Answers = append(view.Answers, answerView{a.Label, shown})
	}
	p.row(row, view, !row.Good)
	return nil
}

func troubleViews(all []outcome.Trouble) (views []troubleView) {
	for _, t := range all {
		views = append(views, troubleView{At: t.At.String(), Path: t.Path, Text: t.Text, Diff: diffLines(t.Detail), Hint: t.Hint})
	}
	return views
}

func failureView(c outcome.Case, f outcome.Failure) troubleView {
	v := troubleView{
		At: cmp.Or(f.Source.String(), c.Source.String()), Path: f.Path,
		Want: f.Want, Got: f.Got, Diff: diffLines(f.Diff), Hint: f.Hint,
	}
	if f.Want == "" && f.Got == "" {
		v.Text = "not as expected"
	}
	return v
}

// rich writes a case: its problems, and its answers.
func (v *caseView) rich(w *markup.Writer) {
	w.PutAny(`<p class="hint">skipped: {}</p>`, v.Skip)
	for i := range v.Troubles {
		v.Troubles[i].rich(w)
	}
	if len(v.Updated) > 0 {
		w.Put(`<p class="hint">written: `)
		for _, file := range v.Updated {
			w.Put(`<code>{}</code> `, file)
		}
		w.Put(`</p>`)
	}
	for _, a := range v.Answers {
		w.PutAny(`<h2 class="label">{}</h2>`, a.Label)
		a.rich(w)
	}
	w.Put("\n"+`<p class="dim"><code>{}</code></p>`, v.Source)
}

func (t *troubleView) rich(w *markup.Writer) {
	w.Put(`<div class="trouble"><p>`)
	w.PutAny(`<b>{}</b> `, t.Path)
	w.Put(`<code>{}</code></p>`, t.At)
	w.PutAny(`<blockquote>{}</blockquote>`, t.Text)
	if t.Want != "" || t.Got != "" {
		w.Put(`<dl class="wanted"><div><dt>want</dt><dd><ins>{}</ins></dd></div><div><dt>got</dt><dd><del>{}</del></dd></div></dl>`, t.Want, t.Got)
	}
	if len(t.Diff) > 0 {
		w.Put(`<pre class="diff">`)
		for _, line := range t.Diff {
			w.Put(`<span class="d-{}">{}`+"\n"+`</span>`, line.Class, line.Text)
		}
		w.Put(`</pre>`)
	}
	w.PutAny(`<p class="hint">{}</p>`, t.Hint)
	w.Put(`</div>`)
}
