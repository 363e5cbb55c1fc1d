package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/pkg/plugins/webhook"
)

// What text says of a webhook, in place of the word on the wire.
var calledWords = map[webhook.Called]string{
	webhook.Yes:     "called",
	webhook.No:      "not called",
	webhook.Depends: "depends",
}

const calledColumns = len("not called") + 2

func (t *text) explanation(e *Explanation) error {
	p := &page{palette: t.palette}
	if t.explained > 0 {
		p.line(0, "")
	}
	t.explained++
	p.line(0, p.paint(p.bold, e.Request.title()))
	p.paragraph(2, p.faint, e.Request.about())

	if e.early() {
		p.line(0, "")
		p.refusal("denied, before any webhook is called:", e.Denied)
	}
	e.asked(p)
	p.hanging(e)
	if e.Denied != nil && !e.early() {
		p.line(0, "")
		p.refusal("denied, whatever webhooks say:", e.Denied)
	}
	if e.Note != "" {
		p.line(0, "")
		p.labelled(2, p.bold, "note:", e.Note)
	}
	_, err := io.WriteString(t.w, p.String())
	return err
}

// asked says of all hooks whether they would be asked.
func (e *Explanation) asked(p *page) {
	all := len(e.MutatingPolicies) + len(e.Mutating) + len(e.ValidatingPolicies) + len(e.Validating)
	if e.early() && all == 0 { // it does not come to admission
		return
	}
	if e.early() {
		p.paragraph(2, p.faint, "who would be asked about it otherwise:")
	}
	names := 0
	for _, list := range [][]WebhookExplanation{e.Mutating, e.Validating} {
		for _, w := range list {
			names = max(names, stepIndent+columns(w.name()))
		}
	}
	for _, list := range [][]PolicyExplanation{e.MutatingPolicies, e.ValidatingPolicies} {
		for _, w := range list {
			names = max(names, stepIndent+columns(w.name()))
		}
	}
	names = min(names+2, mostNames)
	p.policies("mutating policies, one after the other", e.MutatingPolicies, names)
	p.webhooks("mutating webhooks, one after the other", e.Mutating, names)
	p.policies("validating policies, all of them before any denial", e.ValidatingPolicies, names)
	p.webhooks("validating webhooks, side by side", e.Validating, names)
}

func (p *page) refusal(label string, d *Denial) {
	p.labelled(2, p.bad, label, d.Status.Message)
	p.by(d.By, d.Hint)
}

func (w WebhookExplanation) name() string { return nameOf(w.Configuration, w.Name) }

func (p *page) webhooks(title string, list []WebhookExplanation, names int) {
	p.line(0, "")
	p.line(phaseIndent, p.paint(p.bold, title))
	if len(list) == 0 {
		p.line(stepIndent, p.paint(p.faint, "there are none"))
	}
	for _, w := range list {
		p.webhook(w, names)
	}
}

func (p *page) webhook(w WebhookExplanation, names int) {
	called := webhook.Called(w.Called)
	colour := map[webhook.Called]string{webhook.Yes: p.good, webhook.Depends: p.changed, webhook.No: p.faint}[called]
	p.hook(w.name(), names, p.paint(colour, padded(calledWords[called], calledColumns)), w.Source, w.Because)
	if called != webhook.No {
		p.paragraph(changeIndent, p.faint, w.terms())
	}
}

// hook shows a webhook or policy, what becomes of it, where it is written and why.
func (p *page) hook(name string, names int, becomes, source, because string) {
	head := strings.Repeat(" ", stepIndent) + name
	if columns(head)+2 > names {
		p.line(0, head)
		head = ""
	}
	p.line(0, padded(head, names)+becomes+p.paint(p.faint, source))
	p.paragraph(changeIndent, "", because)
}

// terms are the conditions under which the webhook is called.
func (w WebhookExplanation) terms() string {
	terms := []string{"failurePolicy " + w.FailurePolicy}
	if w.TimeoutSeconds > 0 {
		terms = append(terms, fmt.Sprintf("timeout %ds", w.TimeoutSeconds))
	}
	if w.Reinvocable {
		terms = append(terms, "called again if needed")
	}
	if w.SideEffects != "" && w.SideEffects != "None" {
		terms = append(terms, "sideEffects "+w.SideEffects)
	}
	return strings.Join(terms, ", ")
}

// hanging says what becomes of the request should all webhooks hang, and how long they could
// take altogether, answering at the last moment.
func (p *page) hanging(e *Explanation) {
	if e.Hanging == nil {
		return
	}
	after, limit := e.Hanging.After.Duration, e.Timeouts.Request.Duration
	sum := e.Timeouts.Mutating.Duration + e.Timeouts.Validating.Duration
	over := e.Hanging.Refused && e.Hanging.By == nil
	text := "should all of them hang, the request "
	switch {
	case over:
		text += fmt.Sprintf("is refused after the %s that it has; their timeouts add up to %s", limit, sum)
	case e.Hanging.Refused:
		text += fmt.Sprintf("is refused after %s, by %s", after, e.Hanging.By)
	default:
		text += fmt.Sprintf("goes on without them after %s", after)
	}
	colour := p.faint
	if over || limit > 0 && sum > limit {
		colour = p.changed
	}
	if !over && sum != after {
		text += fmt.Sprintf("; their timeouts add up to %s", sum)
	}
	switch {
	case over || limit == 0:
	case sum > limit:
		text += fmt.Sprintf(", and the request has only %s", limit)
	default:
		text += fmt.Sprintf(" of the %s that it has", limit)
	}
	p.line(0, "")
	p.paragraph(phaseIndent, colour, text)
}
