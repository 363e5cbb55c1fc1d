package text

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

func outageText(o *document.Outage, p *page, verbose bool) {
	p.line(0, p.paint(p.bold, o.Title()))
	if n := o.Denied.Requests; n > 0 {
		p.line(0, p.paint(p.faint, fmt.Sprintf("%s denied even when all webhooks answer; -v shows why", words.AreCounted(n, "is", "are"))))
	}
	outageTable(o, p, verbose)
	if verbose && o.Denied.Requests > 0 {
		p.line(0, "")
		p.line(0, p.paint(p.bold, "while all webhooks answer"))
		p.losses("are denied", p.bad, o.Denied, verbose)
	}
	for _, one := range o.Outages {
		if one.Fail.Requests+one.Unchecked.Requests+one.Delayed.Requests > 0 {
			situationText(one, p, verbose)
		}
	}
	for _, d := range o.Deadlocks {
		p.deadlock(d)
	}
	if o.Budget != nil {
		budgetText(o.Budget, p)
	}
	if o.Note != "" {
		p.line(0, "")
		p.paragraph(0, p.faint, o.Note)
	}
	if about := o.AboutAssumed(); about != "" {
		p.line(0, "")
		p.assumed(about)
	}
	for _, e := range o.Errors {
		p.labelled(0, p.bad, "undecided:", e.String())
	}
}

// outageTable writes an overview of the situations that matter to a request, and the names of the others.
func outageTable(o *document.Outage, p *page, verbose bool) {
	asked, never := o.Situations()
	if len(asked) > 0 {
		p.rows(asked)
	}
	if len(never) == 0 {
		return
	}
	most := 5
	if verbose {
		most = len(never)
	}
	p.line(0, "")
	p.line(2, p.paint(p.changed, words.Plural(len(never), "situation")+" "+document.NeverAsked)+":")
	for _, one := range never[:min(most, len(never))] {
		p.line(4, one.Title())
	}
	if n := len(never) - most; n > 0 {
		p.line(4, p.paint(p.faint, fmt.Sprintf("and %s more; -v names them", words.Thousands(n))))
	}
	p.paragraph(2, p.faint, document.NeverAskedHint)
}

// rows writes an overview of situations.
func (p *page) rows(all []document.OutageOf) {
	p.line(0, "")
	wide := len("while")
	for _, one := range all {
		wide = max(wide, words.Columns(one.Title()))
	}
	p.line(2, p.paint(p.faint, padded("while", wide)+left("asked", 9)+left("fail", 9)+left("unchecked", 11)+left("up to", 9)))
	for _, one := range all {
		fail, unchecked := left(words.Thousands(one.Fail.Requests), 9), left(words.Thousands(one.Unchecked.Requests), 11)
		if one.Fail.Requests > 0 {
			fail = p.paint(p.bad, fail)
		}
		if one.Unchecked.Requests > 0 {
			unchecked = p.paint(p.changed, unchecked)
		}
		p.line(2, padded(one.Title(), wide)+left(words.Thousands(one.Asked), 9)+fail+unchecked+left(words.Briefly(one.Longest.Duration), 9))
	}
}

func situationText(o document.OutageOf, p *page, verbose bool) {
	p.line(0, "")
	p.line(0, p.paint(p.bold, "while "+o.Title()))
	for _, t := range o.Troubles {
		about := t.Limits()
		if len(o.Troubles) > 1 {
			about = t.Words() + ": " + about
		}
		p.paragraph(2, p.faint, words.Join(about, t.Webhook.Source))
	}
	p.losses("fail", p.bad, o.Fail, verbose)
	p.losses("pass unchecked", p.changed, o.Unchecked, verbose)
	p.losses("take longer", p.faint, o.Delayed, verbose)
}

func (p *page) losses(what, colour string, l document.Losses, verbose bool) {
	if l.Requests == 0 {
		return
	}
	p.line(2, p.paint(colour, words.Plural(l.Requests, "request")+" "+words.PluralVerb(l.Requests, what)))
	most := 8
	if verbose {
		most = len(l.Samples)
	}
	said := map[string]bool{}
	for _, s := range l.Samples[:min(most, len(l.Samples))] {
		about := ""
		if s.Took.Duration > 0 {
			about = "after " + words.Briefly(s.Took.Duration)
		}
		if s.Request.Label != "" {
			about = strings.TrimPrefix(about+", "+s.Request.Label, ", ")
		} else if s.Request.Source != "" {
			about = strings.TrimPrefix(about+", from "+s.Request.Source, ", ")
		}
		if s.Request.User != "" {
			about += " as " + s.Request.User
		}
		p.head(4, "", s.Request.String(), strings.TrimSpace(about))
		if s.Message != "" && (verbose || !said[s.Message]) {
			p.labelled(6, p.bad, "error:", s.Message)
			said[s.Message] = true
		}
		if s.Ignored {
			p.paragraph(6, p.changed, "though failurePolicy is Ignore: waiting took all the time that the request had")
		}
	}
	if n := l.Requests - min(most, len(l.Samples)); n > 0 {
		p.line(4, p.paint(p.faint, fmt.Sprintf("and %s more", words.Thousands(n))))
	}
}

func (p *page) deadlock(d document.Deadlock) {
	p.line(0, "")
	kind := "deadlock"
	if len(d.Links) == 1 {
		kind = "self-deadlock"
	}
	p.line(0, p.paint(p.bad, kind)+p.paint(p.bold, ": once all of this is down, none of it comes up again"))
	for i, l := range d.Links {
		p.line(2, "Service "+l.Service)
		p.line(4, "← "+strings.Join(l.Workloads, ", "))
		for _, n := range l.Needs {
			p.line(6, fmt.Sprintf("%s needs %s", n.What, n.Webhook.String()))
		}
		next := d.Links[(i+1)%len(d.Links)].Service
		p.line(6, p.paint(p.faint, "which is Service "+next))
	}
	p.line(2, p.paint(p.bold, "to break it"))
	for _, way := range document.Ways(d) {
		p.line(4, way.Say)
		for _, row := range way.Yaml {
			p.line(6, p.paint(p.good, row))
		}
	}
	p.line(4, "and where it has happened already, which lets requests pass until it is installed again:")
	for _, command := range d.Commands() {
		p.line(6, p.paint(p.good, command))
	}
}

func budgetText(b *document.Budget, p *page) {
	p.line(0, "")
	p.line(0, p.paint(p.bold, "time"))
	verdict := fmt.Sprintf("within the %s that a request has", document.InSeconds(b.Limit.Duration))
	colour := p.good
	if b.Limit.Duration > 0 && b.Sum.Duration > b.Limit.Duration {
		verdict = fmt.Sprintf("and a request has %s: if they hang, it fails, with any failurePolicy (%s)", document.InSeconds(b.Limit.Duration), words.Plural(b.Over, "request"))
		colour = p.bad
	}
	p.wrapped("  "+p.paint(colour, document.InSeconds(b.Sum.Duration))+"  ", 4+words.Columns(document.InSeconds(b.Sum.Duration)), "", "is how long webhooks may take at most, "+verdict)
	p.head(4, "", b.Worst.String(), b.Worst.About())
	for _, t := range b.Serial {
		p.line(6, left(document.InSeconds(t.Timeout.Duration), 4)+"  "+t.Webhook.String()+document.RoundWords(t.Webhook.Round)+p.paint(p.faint, "  one after the other"))
	}
	for _, t := range b.Parallel {
		p.line(6, left(document.InSeconds(t.Timeout.Duration), 4)+"  "+t.Webhook.String()+p.paint(p.faint, "  side by side"))
	}
}
