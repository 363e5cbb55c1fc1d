package text

import (
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

func checkText(c *document.Check, p *page, verbose bool) {
	for _, name := range c.Checks {
		checkOne(c, p, name, verbose)
	}
	p.line(0, "")
	for _, by := range c.Unanswered {
		p.labelled(0, p.faint, by.String()+":", "could not be tried: "+document.NotTried)
	}
	for _, e := range c.Errors {
		p.labelled(0, p.bad, "undecided:", e.String())
	}
	p.paragraph(0, "", c.Summary())
}

func checkOne(c *document.Check, p *page, name string, verbose bool) {
	outcome := c.Outcome(name)
	mark, colour := string(outcome), p.good
	switch outcome {
	case document.CheckNotOK:
		colour = p.bad
	case document.CheckUnknown:
		mark, colour = "?", p.changed
	case document.CheckUntried:
		mark, colour = "-", ""
	}
	p.wrapped(p.paint(colour, padded(mark, 8))+p.paint(p.bold, padded(name, 14)), 22, p.faint, c.About(name))
	for _, f := range c.Of(name) {
		findingText(f, p, verbose)
	}
}

func findingText(f document.CheckFinding, p *page, verbose bool) {
	p.paragraph(2, p.bold, f.Title())
	p.paragraph(4, p.faint, f.About())
	if f.Field != "" {
		p.line(4, p.paint(p.changed, f.Field))
	}
	for i, s := range f.Samples {
		if i > 0 && !verbose {
			break
		}
		p.sample(4, s.Request)
		if s.Detail != "" {
			p.paragraph(6, "", words.Shorten(p.clean(s.Detail), 400))
		}
	}
	if f.Remedy != "" {
		p.labelled(4, "", "remedy:", f.Remedy)
	}
}
