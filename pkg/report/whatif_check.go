package report

import (
	"fmt"

	"github.com/admsim/admsim/internal/whatif"
)

// A Check is what does not hold of what webhooks should keep to.
type Check struct {
	TypeMeta
	Checks    []string    `json:"checks"`
	Requests  int         `json:"requests"`
	Tried     int         `json:"tried"` // of them, in which webhooks were tried out
	Undecided int         `json:"undecided,omitempty"`
	Errors    []DiffError `json:"errors,omitempty"`

	Mutations  int  `json:"mutationsRepeated"`
	Pairs      int  `json:"pairsTried"`
	Orders     int  `json:"ordersTried"` // of three webhooks and more
	Exhaustive bool `json:"exhaustive"`  // these were all orders

	// Unanswered are webhooks that could not be tried out: nobody says what they answer.
	Unanswered []Actor `json:"unanswered,omitempty"`

	Findings []CheckFinding `json:"findings"`
}

// A CheckFinding is something that does not hold.
type CheckFinding struct {
	Check    string        `json:"check"`
	Webhook  *Actor        `json:"webhook,omitempty"`
	Other    *Actor        `json:"other,omitempty"`
	Field    string        `json:"field,omitempty"`
	Message  string        `json:"message"`
	Remedy   string        `json:"remedy,omitempty"`
	Requests int           `json:"requests"`
	Samples  []CheckSample `json:"samples"`
}

// A CheckSample is one request of a finding.
type CheckSample struct {
	Request Sample `json:"request"`
	Detail  string `json:"detail,omitempty"`
}

// NewCheck puts what does not hold into the form that is shown.
func NewCheck(r *whatif.CheckResult) *Check {
	c := &Check{
		TypeMeta: TypeMeta{APIVersion, CheckKind}, Requests: r.Requests, Tried: r.Tried, Undecided: r.Undecided,
		Mutations: r.Mutations, Pairs: r.Pairs, Orders: r.Orders, Exhaustive: r.Exhaustive, Findings: []CheckFinding{},
	}
	for _, name := range r.Checks {
		c.Checks = append(c.Checks, string(name))
	}
	for _, e := range r.Errors {
		c.Errors = append(c.Errors, DiffError{sampleOf(e.Request), e.Err.Error()})
	}
	for _, by := range r.Unanswered {
		c.Unanswered = append(c.Unanswered, actorOf(by))
	}
	for _, f := range r.Findings {
		shown := CheckFinding{
			Check: string(f.Check), Webhook: actorIn(f.Webhook), Other: actorIn(f.Other), Field: f.Field,
			Message: f.Text, Remedy: f.Remedy, Requests: f.Requests,
		}
		for _, s := range f.Samples {
			shown.Samples = append(shown.Samples, CheckSample{sampleOf(s.Request), s.Detail})
		}
		c.Findings = append(c.Findings, shown)
	}
	return c
}

// What each check is about.
var checkWords = map[string]string{
	"idempotence":  "a webhook run on its own output changes nothing more",
	"order":        "mutating webhooks come to the same object in any order",
	"reinvocation": "behind the server's rounds no webhook would change anything",
	"final-state":  "who judges an object sees it as it will be, and accepts it",
	"bypass":       "nothing that a webhook or policy would refuse passes by it",
}

func (c *Check) text(p *page, verbose bool) {
	for _, name := range c.Checks {
		c.one(p, name, verbose)
	}
	p.line(0, "")
	for _, by := range c.Unanswered {
		p.labelled(0, p.faint, by.String()+":", "could not be tried: it has no backend")
	}
	for _, e := range c.Errors {
		p.labelled(0, p.bad, "undecided:", e.Request.String()+": "+e.Error)
	}
	p.paragraph(0, "", c.summary())
}

func (c *Check) one(p *page, name string, verbose bool) {
	var findings []CheckFinding
	for _, f := range c.Findings {
		if f.Check == name {
			findings = append(findings, f)
		}
	}
	if len(findings) == 0 && c.Requests == 0 {
		p.line(0, p.paint(p.changed, padded("?", 8))+p.paint(p.bold, padded(name, 14))+p.paint(p.faint, "no request could be answered"))
		return
	}
	if len(findings) == 0 {
		p.line(0, p.paint(p.good, padded("ok", 8))+p.paint(p.bold, padded(name, 14))+p.paint(p.faint, checkWords[name]+c.tried(name)))
		return
	}
	p.line(0, p.paint(p.bad, padded("not ok", 8))+p.paint(p.bold, padded(name, 14))+p.paint(p.faint, checkWords[name]+c.tried(name)))
	for _, f := range findings {
		f.text(p, verbose)
	}
}

// tried is how much was tried for a check.
func (c *Check) tried(name string) string {
	switch name {
	case "idempotence":
		return fmt.Sprintf(" (%s repeated)", plural(c.Mutations, "mutation"))
	case "order":
		text := fmt.Sprintf(" (%s both ways round", plural(c.Pairs, "pair"))
		switch {
		case c.Orders > 0 && c.Exhaustive:
			text += fmt.Sprintf(", all of %s", plural(c.Orders, "order"))
		case c.Orders > 0:
			text += fmt.Sprintf(", %s drawn", plural(c.Orders, "order"))
		}
		return text + ")"
	}
	return ""
}

func (f CheckFinding) text(p *page, verbose bool) {
	title := f.Message
	if f.Webhook != nil {
		title = f.Webhook.String()
		if f.Other != nil && f.Check == "order" {
			title += " and " + f.Other.String()
		}
		title += ": " + f.Message
	} else if f.Check == "final-state" {
		title = "the API server " + f.Message
	}
	p.paragraph(2, p.bold, title)
	about := ""
	if f.Webhook != nil {
		about = f.Webhook.Source
	}
	if f.Other != nil {
		if f.Check == "order" {
			about = join(about, f.Other.Source)
		} else {
			about = join(about, "changed by "+f.Other.String())
		}
	}
	p.paragraph(4, p.faint, join(about, "in "+plural(f.Requests, "request")))
	if f.Field != "" {
		p.line(4, p.paint(p.changed, f.Field))
	}
	for i, s := range f.Samples {
		if i > 0 && !verbose {
			break
		}
		p.sample(4, s.Request)
		if s.Detail != "" {
			p.paragraph(6, "", shorten(p.clean(s.Detail), 400))
		}
	}
	if f.Remedy != "" {
		p.labelled(4, "", "remedy:", f.Remedy)
	}
}

func (c *Check) summary() string {
	text := plural(c.Requests, "request")
	if c.Tried < c.Requests {
		text += fmt.Sprintf(", of which %s were tried; the others are similar", thousands(c.Tried))
	}
	if c.Undecided > 0 {
		text += fmt.Sprintf("; %s more could not be answered", thousands(c.Undecided))
	}
	if len(c.Findings) == 0 {
		return text + ": nothing found"
	}
	return text + ": " + plural(len(c.Findings), "finding")
}
