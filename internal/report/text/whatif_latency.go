package text

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

func latencyText(l *document.Latency, p *page, verbose bool) {
	p.sample(0, l.Request)
	if others := l.Requests - 1; others > 0 {
		p.line(2, "and "+words.Plural(others, "more request")+", each as often as any other")
	}
	p.paragraph(2, p.faint, l.Sampling())
	p.line(0, "")
	wide := len("mutating, one after the other")
	for _, w := range l.Webhooks {
		wide = max(wide, words.Columns(latencyName(w))+2)
	}
	head := strings.Repeat(" ", wide+2)
	for _, one := range l.Total {
		head += left(fmt.Sprintf("p%g", one.Percent), 10)
	}
	p.line(0, p.paint(p.faint, head))
	p.latencies("admission", wide, p.bold, l.Total)
	for _, phase := range l.Phases {
		title, plugin := "mutating, one after the other", document.MutatingWebhooks
		if phase.Phase == "validating" {
			title, plugin = "validating, side by side", document.ValidatingWebhooks
		}
		p.latencies(title, wide, "", phase.Total)
		for _, w := range l.Webhooks {
			if w.Webhook.Plugin == plugin {
				p.latencies("  "+latencyName(w), wide, p.faint, w.Total)
			}
		}
	}
	p.line(0, "")
	if l.Random {
		p.bounds(l)
	}
	p.chanceOf("a webhook is not answered in time", l.Timeout, l.Random, p.changed)
	p.chanceOf("the request passes unchecked", l.Unchecked, l.Random, p.changed)
	p.chanceOf("the request fails", l.Fails, l.Random, p.bad)
	p.chanceOf("all of its "+l.Limit.Duration.String()+" are used up", l.Over, l.Random, p.bad)
	latencyRemarks(l, p, verbose)
}

func latencyName(w document.WebhookLatency) string {
	if w.Calls > 1.0005 || w.Calls < 0.9995 {
		return fmt.Sprintf("%s (%.2f calls)", w.Webhook.String(), w.Calls)
	}
	return w.Webhook.String()
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
		parts = append(parts, fmt.Sprintf("p%g %s [%s, %s]", one.Percent, words.Briefly(one.Is.Duration), words.Briefly(one.Low.Duration), words.Briefly(one.High.Duration)))
	}
	p.listed("admission  ", 11, "", append(parts, "mean "+words.Briefly(l.Mean.Duration)))
}

func (p *page) chanceOf(what string, c document.Chance, random bool, colour string) {
	if c.Of == 0 {
		colour = p.good
	}
	row := p.paint(colour, left(likely(c.Is), 9)) + "  "
	if random {
		row += padded(what, 36) + p.paint(p.faint, fmt.Sprintf("[%s, %s]", likely(c.Low), likely(c.High)))
	} else {
		row += what
	}
	p.line(0, row)
}

func likely(f float64) string {
	switch {
	case f == 0:
		return "0%"
	case f < 0.001:
		return fmt.Sprintf("%.2g%%", f*100)
	}
	return fmt.Sprintf("%.4g%%", f*100)
}

func latencyRemarks(l *document.Latency, p *page, verbose bool) {
	for _, w := range l.Webhooks {
		if w.Timeouts.Of > 0 {
			p.labelled(0, p.changed, w.Webhook.String()+":", fmt.Sprintf("%s of its calls are not answered in time", likely(w.Timeouts.Is)))
		}
		if w.Decides.Of > 0 && (verbose || w.Decides.Is > 0.5) {
			p.labelled(0, p.faint, w.Webhook.String()+":", fmt.Sprintf("is the slowest of those side by side in %s of the requests", likely(w.Decides.Is)))
		}
		if !w.Known {
			p.labelled(0, p.faint, w.Webhook.String()+":", "its latency is not known, and was taken to be what its backend says")
		}
	}
}
