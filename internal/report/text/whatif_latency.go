package text

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

func latencyText(l *document.Latency, p *page, verbose bool) {
	p.sample(0, l.Request)
	if others := l.Others(); others != "" {
		p.line(2, others)
	}
	p.paragraph(2, p.faint, l.Sampling())
	if denied := l.DeniedNote(); denied != "" {
		p.paragraph(2, p.bad, denied)
	}
	p.line(0, "")
	wide := len("mutating, one after the other")
	for _, w := range l.Webhooks {
		wide = max(wide, words.Columns(w.Title())+2)
	}
	head := strings.Repeat(" ", wide+2)
	for _, one := range l.Total {
		head += left(fmt.Sprintf("p%g", one.Percent), 10)
	}
	p.line(0, p.paint(p.faint, head))
	p.latencies("admission", wide, p.bold, l.Total)
	for _, phase := range l.Phases {
		p.latencies(phase.Title(), wide, "", phase.Total)
		for _, w := range l.In(phase) {
			p.latencies("  "+w.Title(), wide, p.faint, w.Total)
		}
	}
	p.line(0, "")
	if l.Random {
		p.bounds(l)
	}
	for _, c := range l.Chances() {
		colour := p.changed
		if c.Bad {
			colour = p.bad
		}
		p.chance(c, l.Random, colour)
	}
	latencyRemarks(l, p, verbose)
}

func (p *page) latencies(title string, wide int, colour string, all []document.Percentile) {
	row := p.paint(colour, padded(title, wide+2))
	for _, one := range all {
		row += left(words.Briefly(one.Is.Duration), 10)
	}
	p.line(0, row)
}

// bounds writes the bounds of the time in admission.
func (p *page) bounds(l *document.Latency) {
	var parts []string
	for _, one := range l.Total {
		parts = append(parts, fmt.Sprintf("p%g %s %s", one.Percent, words.Briefly(one.Is.Duration), one.Bounds()))
	}
	p.listed("admission  ", 11, "", append(parts, "mean "+words.Briefly(l.Mean.Duration)))
}

func (p *page) chance(c document.ChanceOf, random bool, colour string) {
	if c.Of == 0 {
		colour = p.good
	}
	row := p.paint(colour, left(c.Likely(), 9)) + "  "
	if random {
		row += padded(c.What, 36) + p.paint(p.faint, c.Bounds())
	} else {
		row += c.What
	}
	p.line(0, row)
}

func latencyRemarks(l *document.Latency, p *page, verbose bool) {
	for _, w := range l.Webhooks {
		for _, remark := range w.Remarks(verbose) {
			colour := p.faint
			if remark.Bad {
				colour = p.changed
			}
			p.labelled(0, colour, w.Webhook.String()+":", remark.Text)
		}
	}
}
