package text

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

func (p *page) changeColour(c document.DiffChange) string {
	switch c {
	case document.NewlyDenied:
		return p.bad
	case document.NewlyAllowed:
		return p.good
	}
	return p.changed
}

func diffText(d *document.Diff, p *page, verbose bool) {
	last := document.DiffChange("")
	for _, g := range d.Groups {
		if g.Change != last {
			if last != "" {
				p.line(0, "")
			}
			last = g.Change
			p.line(0, p.paint(p.changeColour(last), document.ChangeWords[last]))
		}
		diffGroup(d, p, g, verbose)
	}
	if len(d.Groups) > 0 {
		p.line(0, "")
	}
	callsText(d, p)
	for _, e := range d.Errors {
		p.labelled(0, p.bad, "undecided:", e.String())
	}
	if len(d.Errors) > 0 {
		p.line(0, "")
	}
	if about := d.AboutAssumed(); about != "" {
		p.assumed(about)
		p.line(0, "")
	}
	if about := d.AboutUnreached(); about != "" {
		p.labelled(0, p.changed, "unreached:", about)
		p.labelled(0, p.bold, "hint:", "add requests that are for them, or ask with --all which requests the difference is about")
		p.line(0, "")
	}
	p.line(0, fmt.Sprintf("%s of %s changed from %s to %s%s", p.paint(p.bold, words.Thousands(d.Changed)), words.Plural(d.Requests, "request"), d.Base, d.Head, d.AboutUndecided()))
}

func diffGroup(d *document.Diff, p *page, g document.DiffGroup, verbose bool) {
	title := g.What
	if g.Change == document.DifferentCalls && g.By != document.Nobody {
		if g.What == "fewer" {
			title = g.By.String() + " is called less often"
		} else {
			title = g.By.String() + " is called more often"
		}
	} else if g.Change == document.DifferentLatency {
		title = document.Takes(g.What)
	}
	p.head(2, "", title, words.Plural(g.Requests, "request"))
	if g.By != document.Nobody && g.Change != document.DifferentCalls {
		p.paragraph(4, p.faint, words.Join(document.ByWord(g.Change)+" "+g.By.String(), g.By.Source))
	}
	if g.Requests > 1 || verbose { // otherwise the sample shows it
		p.counts(4, "users", g.Users, verbose)
		p.counts(4, "namespaces", g.Namespaces, verbose)
		p.counts(4, "requests", g.Resources, verbose)
	}
	for i, s := range g.Samples {
		if first := g.Samples[0]; i > 0 && !verbose && first.Base == s.Base && first.Head == s.Head && first.Because == s.Because {
			continue // it would add nothing
		}
		p.sample(4, s.Request)
		p.side(6, "-", p.bad, g.Change, s.Base)
		p.side(6, "+", p.good, g.Change, s.Head)
		if s.Because != "" {
			p.labelled(8, p.faint, "because", p.clean(s.Because))
		}
	}
}

func (p *page) side(indent int, mark, colour string, c document.DiffChange, text string) {
	if text != "" {
		p.labelled(indent, colour, mark, p.clean(document.SideText(c, text)))
	}
}

// clean returns text on one line.
func (p *page) clean(text string) string { return words.OneLine(text) }

// counts writes how often values occur, the most frequent first.
func (p *page) counts(indent int, what string, all []document.Count, verbose bool) {
	most := document.MostCounts
	if verbose {
		most = len(all)
	}
	if parts := document.CountWords(all, most); len(parts) > 0 {
		p.listed(strings.Repeat(" ", indent)+p.paint(p.faint, padded(what, 12)), indent+12, "", parts)
	}
}

// callsText writes a table of the webhooks that are called more or less often.
func callsText(d *document.Diff, p *page) {
	var rows []document.DiffCalls
	wide := len("calls of webhooks")
	for _, c := range d.Calls {
		if c.Base != c.Head {
			rows = append(rows, c)
			wide = max(wide, words.Columns(c.Webhook.String())+2)
		}
	}
	if len(rows) == 0 {
		return
	}
	p.line(0, p.paint(p.bold, padded("calls of webhooks", wide))+left("base", 12)+left("head", 12)+left("change", 12))
	for _, c := range rows {
		p.line(0, padded("  "+c.Webhook.String(), wide)+left(words.Thousands(c.Base), 12)+left(words.Thousands(c.Head), 12)+left(words.Signed(c.Head-c.Base), 12))
	}
	p.line(0, "")
}
