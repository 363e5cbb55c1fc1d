package text

import (
	"encoding/json"
	"strings"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// maxDifferences is how many groups of differences are shown, unless all are.
const maxDifferences = 5

func equivalenceText(e *document.Equivalence, p *page, verbose bool) error {
	p.line(0, p.paint(p.bold, e.Title()))
	for _, side := range []struct {
		name string
		all  []document.SurveySubject
	}{{e.Base, e.Before}, {e.Head, e.After}} {
		p.line(0, "")
		p.line(0, side.name)
		for _, one := range side.all {
			p.head(2, "", one.Title(), one.Webhook.Source)
		}
		if len(side.all) == 0 {
			p.line(2, p.paint(p.faint, "nobody is asked"))
		}
	}
	p.line(0, "")
	colour := p.good
	if len(e.Regions) > 0 {
		colour = p.changed
	}
	p.line(0, p.paint(colour, e.Requests()))
	p.regions(e.Regions, e.RegionWords, verbose)
	p.line(0, "")
	colour = p.good
	if e.Different > 0 {
		colour = p.bad
	}
	p.line(0, p.paint(colour, e.Decisions()))
	for _, line := range e.Made() {
		p.line(2, line)
	}
	if err := p.first(e); err != nil {
		return err
	}
	if len(e.Differences) > 1 || e.Different > 1 {
		p.line(0, "")
		p.line(0, "all of them")
		for i, g := range e.Differences {
			if i == maxDifferences && !verbose {
				p.line(2, p.paint(p.faint, words.Plural(len(e.Differences)-i, "more group")+"; -v shows them"))
				break
			}
			p.paragraph(2, "", words.Plural(g.Requests, "request")+" "+string(g.Change)+" by "+g.By.String()+": "+g.What)
		}
	}
	for _, one := range e.Errors {
		p.line(0, "")
		p.paragraph(0, p.bad, one.Request.String()+" could not be answered: "+one.Error)
	}
	for _, note := range e.Notes() {
		p.line(0, "")
		p.paragraph(0, p.faint, note)
	}
	return nil
}

// first writes the first request that is decided differently, in the form that admsim run accepts.
func (p *page) first(e *document.Equivalence) error {
	if e.First == nil {
		return nil
	}
	p.line(0, "")
	p.line(0, "the first of them: "+e.First.Request.String())
	if about := e.First.Request.About(); about != "" {
		p.line(2, p.paint(p.faint, about))
	}
	for _, d := range e.First.Differences {
		p.paragraph(2, "", e.Base+": "+d.Base)
		p.paragraph(2, "", e.Head+": "+d.Head)
	}
	if len(e.First.Manifest) == 0 {
		return nil
	}
	text, err := encode.YAML(json.RawMessage(e.First.Manifest))
	if err != nil {
		return err
	}
	p.line(2, p.paint(p.faint, "which admsim run takes with -C:"))
	for _, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		p.line(4, line)
	}
	return nil
}
