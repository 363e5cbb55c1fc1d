package text

import (
	"fmt"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// maxRegions is how many regions of a subject are shown per change, unless all are.
const maxRegions = 6

func surveyText(s *document.Survey, p *page, verbose bool) {
	p.line(0, p.paint(p.bold, s.Title()))
	for _, one := range s.Subjects {
		p.line(0, "")
		surveySubject(one, s.None(), p, verbose)
	}
	if len(s.Same) > 0 {
		p.line(0, "")
		names := make([]string, len(s.Same))
		for i, one := range s.Same {
			names[i] = one.String()
		}
		if most := 10; len(names) > most && !verbose {
			names = append(names[:most], fmt.Sprintf("and %s more", words.Thousands(len(names)-most)))
		}
		p.line(0, p.paint(p.good, "asked for exactly the same requests"))
		p.listed("  ", 2, "", names)
	}
	for _, note := range s.Notes() {
		p.line(0, "")
		p.paragraph(0, p.faint, note)
	}
}

func surveySubject(one document.SurveySubject, none string, p *page, verbose bool) {
	title := one.Title()
	if one.Change != "" {
		title += "  " + one.Change
	}
	p.head(0, p.bold, title, one.Webhook.Source)
	if one.Before != nil {
		p.head(2, p.faint, "before: "+one.Before.String(), one.Before.Source)
	}
	if one.About != "" {
		p.paragraph(2, p.faint, one.About)
	}
	switch {
	case len(one.Regions) > 0:
	case one.Before != nil:
		p.line(2, p.paint(p.good, "asked for exactly the same requests"))
	default:
		p.line(2, p.paint(p.good, none))
	}
	p.regions(one.Regions, document.SurveyWords, verbose)
}

// regions writes regions below what happens to them, in these words.
func (p *page) regions(all []document.SurveyRegion, in func(what string) string, verbose bool) {
	shown, what := 0, ""
	for i, r := range all {
		if r.What != what {
			what, shown = r.What, 0
			p.line(2, p.paint(p.surveyColour(what), in(what)))
		}
		if shown++; shown > maxRegions && !verbose {
			if i == len(all)-1 || all[i+1].What != what {
				p.line(4, p.paint(p.faint, fmt.Sprintf("and %s more; -v shows them", words.Plural(shown-maxRegions, "region"))))
			}
			continue
		}
		p.region(r)
	}
}

func (p *page) surveyColour(what string) string {
	switch what {
	case document.NewlyAsked, document.NoLongerAsked:
		return p.changed
	case document.IsAsked:
		return p.good
	}
	return p.bad
}

// region writes one region and its witness.
func (p *page) region(r document.SurveyRegion) {
	rows := wrap(r.Text, p.room(6))
	p.line(4, rows[0])
	for _, row := range rows[1:] {
		p.line(6, row)
	}
	if r.Witness == nil {
		return
	}
	p.paragraph(6, p.faint, "such as "+r.Witness.String())
}
