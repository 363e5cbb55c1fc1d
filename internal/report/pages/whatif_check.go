package pages

import (
	"io"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// checkPage writes a page with a section for each check: a row for each finding, or one that says that there is none.
func checkPage(c *document.Check, w io.Writer, options document.Options) error {
	p := &htmlPage{command: "check", noun: "check", sentences: true, options: options, order: []string{"not ok", "ok", "nothing to try", "undecided"}}
	for _, check := range c.Checks {
		findings := c.Of(check)
		for _, f := range findings {
			row := rowView{ID: p.nextID(), Section: check, Outcome: "not ok", Class: "denied", Name: f.Title(), Note: c.About(check)}
			row.Took, row.Micros = words.Plural(f.Requests, "request"), int64(f.Requests)
			p.row(row, viewOfFinding(f), false)
		}
		if len(findings) > 0 {
			continue
		}
		outcome := c.Outcome(check)
		row := rowView{ID: p.nextID(), Section: check, Outcome: string(outcome), Class: "admitted", Good: true, Name: c.About(check)}
		switch outcome {
		case document.CheckUnknown:
			row.Class = "changed"
		case document.CheckUntried:
			row.Class = "skipped"
		}
		p.row(row, groupView{About: []string{c.Summary()}}, false)
	}
	v := pageView{Good: len(c.Findings) == 0 && c.Requests > 0, Verdict: "Nothing found", Sub: c.Summary() + "."}
	switch {
	case len(c.Findings) > 0:
		v.Verdict = words.Plural(len(c.Findings), "finding")
	case c.Requests == 0:
		v.Verdict, v.Mixed = "Nothing was checked", true
	}
	if len(c.Unanswered) > 0 {
		panel := panelView{Title: "Could not be tried", Words: true, Count: len(c.Unanswered), Heads: []string{"webhook", "why"}}
		for _, by := range c.Unanswered {
			panel.Rows = append(panel.Rows, []string{by.String(), document.NotTried})
		}
		v.Panels = append(v.Panels, panel)
	}
	if len(c.Errors) > 0 {
		v.Panels = append(v.Panels, undecidedPanel(c.Errors))
	}
	return p.write(w, v)
}

func viewOfFinding(f document.CheckFinding) groupView {
	v := groupView{About: []string{f.About()}}
	if f.Field != "" {
		v.About = append(v.About, f.Field)
	}
	if f.Remedy != "" {
		v.About = append(v.About, "remedy: "+f.Remedy)
	}
	samples := sectionView{More: f.Requests - len(f.Samples)}
	for _, s := range f.Samples {
		samples.Samples = append(samples.Samples, sampleView{Title: s.Request.String(), At: placeView(s.Request.Source), About: s.Request.Who(), Message: s.Detail})
	}
	v.Sections = append(v.Sections, samples)
	return v
}
