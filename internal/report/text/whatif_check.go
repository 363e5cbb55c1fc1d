package text

import (
	"fmt"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// What each check is about.
var checkWords = map[string]string{
	"idempotence":  "a webhook or policy run on its own output changes nothing more",
	"order":        "mutating webhooks and policies come to the same object in any order",
	"reinvocation": "after the server's rounds no webhook or policy would change anything more",
	"final-state":  "webhooks and policies that judge an object see it as it will be, and accept it",
	"bypass":       "no request bypasses a webhook or policy that would refuse it",
}

func checkText(c *document.Check, p *page, verbose bool) {
	for _, name := range c.Checks {
		checkOne(c, p, name, verbose)
	}
	p.line(0, "")
	for _, by := range c.Unanswered {
		p.labelled(0, p.faint, by.String()+":", "could not be tried: it has no backend")
	}
	for _, e := range c.Errors {
		p.labelled(0, p.bad, "undecided:", e.String())
	}
	p.paragraph(0, "", checkSummary(c))
}

func checkOne(c *document.Check, p *page, name string, verbose bool) {
	var findings []document.CheckFinding
	for _, f := range c.Findings {
		if f.Check == name {
			findings = append(findings, f)
		}
	}
	if len(findings) == 0 && c.Requests == 0 {
		p.line(0, p.paint(p.changed, padded("?", 8))+p.paint(p.bold, padded(name, 14))+p.paint(p.faint, "no request could be answered"))
		return
	}
	if why := untried(c, name); why != "" && len(findings) == 0 {
		p.line(0, padded("-", 8)+p.paint(p.bold, padded(name, 14))+p.paint(p.faint, "nothing to try: "+why))
		return
	}
	if len(findings) == 0 {
		p.line(0, p.paint(p.good, padded("ok", 8))+p.paint(p.bold, padded(name, 14))+p.paint(p.faint, checkWords[name]+tried(c, name)))
		return
	}
	p.line(0, p.paint(p.bad, padded("not ok", 8))+p.paint(p.bold, padded(name, 14))+p.paint(p.faint, checkWords[name]+tried(c, name)))
	for _, f := range findings {
		findingText(f, p, verbose)
	}
}

// untried returns why there was nothing to try for a check; it is empty if there was.
func untried(c *document.Check, name string) string {
	switch {
	case name == "idempotence" && c.Mutations == 0:
		return "no webhook or policy changed an object"
	case name == "order" && c.Pairs+c.Orders == 0:
		return "no request reached two mutating webhooks, or two mutating policies, whose order may change"
	}
	return ""
}

// tried says how much was tried for a check.
func tried(c *document.Check, name string) string {
	switch name {
	case "idempotence":
		return fmt.Sprintf(" (%s repeated)", words.Plural(c.Mutations, "mutation"))
	case "order":
		text := fmt.Sprintf(" (%s both ways round", words.Plural(c.Pairs, "pair"))
		switch {
		case c.Orders > 0 && c.Exhaustive:
			text += fmt.Sprintf(", all of %s", words.Plural(c.Orders, "order"))
		case c.Orders > 0:
			text += fmt.Sprintf(", %s drawn", words.Plural(c.Orders, "order"))
		}
		return text + ")"
	}
	return ""
}

// nobody stands for the API server, or for several actors together.
var nobody document.Actor

func findingText(f document.CheckFinding, p *page, verbose bool) {
	title := f.Message
	if f.Webhook != nobody {
		title = f.Webhook.String()
		if f.Other != nobody && f.Check == "order" {
			title += " and " + f.Other.String()
		}
		title += ": " + f.Message
	} else if f.Check == "final-state" {
		title = "the API server " + f.Message
	}
	p.paragraph(2, p.bold, title)
	about := ""
	if f.Webhook != nobody {
		about = f.Webhook.Source
	}
	if f.Other != nobody {
		if f.Check == "order" {
			about = words.Join(about, f.Other.Source)
		} else {
			about = words.Join(about, "changed by "+f.Other.String())
		}
	}
	p.paragraph(4, p.faint, words.Join(about, "in "+words.Plural(f.Requests, "request")))
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

func checkSummary(c *document.Check) string {
	undecided := ""
	if c.Undecided > 0 {
		undecided = words.Plural(c.Undecided, "request") + " could not be answered"
	}
	if c.Requests == 0 && c.Undecided > 0 {
		return undecided + ": nothing was checked"
	}
	text := words.Plural(c.Requests, "request")
	if c.Tried < c.Requests {
		text += fmt.Sprintf(", of which %s were tried; the others are similar", words.Thousands(c.Tried))
	}
	if len(c.Findings) == 0 {
		text += ": nothing found"
	} else {
		text += ": " + words.Plural(len(c.Findings), "finding")
	}
	if undecided != "" {
		text += "; " + undecided
	}
	return text
}
