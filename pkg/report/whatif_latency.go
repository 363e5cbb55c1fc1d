package report

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/whatif"
)

// A Latency is how long a request takes in admission.
type Latency struct {
	TypeMeta
	Request  Sample `json:"request"`  // the first of them
	Requests int    `json:"requests"` // each drawn as often as any other
	Samples  int    `json:"samples"`
	Seed     uint64 `json:"seed"`

	Total  []Percentile    `json:"total"`
	Mean   metav1.Duration `json:"mean"`
	Phases []PhaseLatency  `json:"phases"`
	Limit  metav1.Duration `json:"limit"`

	Timeout   Chance `json:"webhookTimesOut"`
	Over      Chance `json:"limitReached"`
	Fails     Chance `json:"requestFails"`
	Unchecked Chance `json:"passesUnchecked"`

	Webhooks []WebhookLatency `json:"webhooks"`
}

// A Percentile is the time that a part of the requests do not exceed; low and high are the
// bounds of the true value with 95 % confidence.
type Percentile struct {
	Percent float64         `json:"percent"`
	Is      metav1.Duration `json:"is"`
	Low     metav1.Duration `json:"low"`
	High    metav1.Duration `json:"high"`
}

// A Chance is how likely something is; low and high are the bounds of the true value with
// 95 % confidence.
type Chance struct {
	Of   int     `json:"of"`
	In   int     `json:"in"`
	Is   float64 `json:"is"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// A PhaseLatency is the part of the time that a phase takes.
type PhaseLatency struct {
	Phase string       `json:"phase"`
	Total []Percentile `json:"total"`
}

// A WebhookLatency is what one webhook has to do with it.
type WebhookLatency struct {
	Webhook  Actor        `json:"webhook"`
	Calls    float64      `json:"calls"` // in a request, on average
	Known    bool         `json:"known"` // its distribution was given
	Total    []Percentile `json:"total"`
	Timeouts Chance       `json:"timeouts"`
	Decides  Chance       `json:"slowestOfItsPhase"` // of those side by side
}

// NewLatency puts how long a request takes into the form that is shown.
func NewLatency(r *whatif.LatencyResult) *Latency {
	l := &Latency{
		TypeMeta: TypeMeta{APIVersion, LatencyKind}, Request: sampleOf(r.Request), Requests: r.Requests, Samples: r.Samples, Seed: r.Seed,
		Total: percentilesOf(r.Total), Mean: metav1.Duration{Duration: r.Mean}, Limit: metav1.Duration{Duration: r.Limit},
		Timeout: Chance(r.Timeout), Over: Chance(r.Over), Fails: Chance(r.Fails), Unchecked: Chance(r.Open),
		Webhooks: []WebhookLatency{},
	}
	for _, p := range r.Phases {
		l.Phases = append(l.Phases, PhaseLatency{string(p.Phase), percentilesOf(p.Total)})
	}
	for _, w := range r.Webhooks {
		l.Webhooks = append(l.Webhooks, WebhookLatency{actorOf(w.Webhook), w.Calls, w.Known, percentilesOf(w.Total), Chance(w.Timeouts), Chance(w.Decides)})
	}
	return l
}

func percentilesOf(all []whatif.Percentile) (shown []Percentile) {
	for _, p := range all {
		shown = append(shown, Percentile{p.Percent, metav1.Duration{Duration: p.Is}, metav1.Duration{Duration: p.Low}, metav1.Duration{Duration: p.High}})
	}
	return shown
}

func (l *Latency) text(p *page, verbose bool) {
	p.sample(0, l.Request)
	if others := l.Requests - 1; others > 0 {
		p.line(2, "and "+plural(others, "more request")+", each drawn as often as any other")
	}
	p.line(2, p.paint(p.faint, fmt.Sprintf("%s drawn with seed %d; in brackets what the drawing leaves open, with 95%% confidence", plural(l.Samples, "answer"), l.Seed)))
	p.line(0, "")
	wide := len("mutating, one after the other")
	for _, w := range l.Webhooks {
		wide = max(wide, columns(w.name())+2)
	}
	head := strings.Repeat(" ", wide+2)
	for _, one := range l.Total {
		head += left(fmt.Sprintf("p%g", one.Percent), 10)
	}
	p.line(0, p.paint(p.faint, head))
	p.latencies("admission", wide, p.bold, l.Total)
	for _, phase := range l.Phases {
		title, plugin := "mutating, one after the other", mutatingWebhooks
		if phase.Phase == "validating" {
			title, plugin = "validating, side by side", validatingWebhooks
		}
		p.latencies(title, wide, "", phase.Total)
		for _, w := range l.Webhooks {
			if w.Webhook.Plugin == plugin {
				p.latencies("  "+w.name(), wide, p.faint, w.Total)
			}
		}
	}
	p.line(0, "")
	p.bounds(l)
	p.chanceOf("a webhook is not answered in time", l.Timeout, p.changed)
	p.chanceOf("the request passes unchecked", l.Unchecked, p.changed)
	p.chanceOf("the request fails", l.Fails, p.bad)
	p.chanceOf("all of its "+l.Limit.Duration.String()+" are used up", l.Over, p.bad)
	l.remarks(p, verbose)
}

func (w WebhookLatency) name() string {
	if w.Calls > 1.0005 || w.Calls < 0.9995 {
		return fmt.Sprintf("%s (%.2f calls)", w.Webhook.String(), w.Calls)
	}
	return w.Webhook.String()
}

func (p *page) latencies(title string, wide int, colour string, all []Percentile) {
	row := p.paint(colour, padded(title, wide+2))
	for _, one := range all {
		row += left(briefly(one.Is.Duration), 10)
	}
	p.line(0, row)
}

// bounds are those of the time in admission.
func (p *page) bounds(l *Latency) {
	var parts []string
	for _, one := range l.Total {
		parts = append(parts, fmt.Sprintf("p%g %s [%s, %s]", one.Percent, briefly(one.Is.Duration), briefly(one.Low.Duration), briefly(one.High.Duration)))
	}
	p.listed("admission  ", 11, "", append(parts, "mean "+briefly(l.Mean.Duration)))
}

func (p *page) chanceOf(what string, c Chance, colour string) {
	if c.Of == 0 {
		colour = p.good
	}
	p.line(0, p.paint(colour, left(likely(c.Is), 9))+"  "+padded(what, 36)+p.paint(p.faint, fmt.Sprintf("[%s, %s]", likely(c.Low), likely(c.High))))
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

func (l *Latency) remarks(p *page, verbose bool) {
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
