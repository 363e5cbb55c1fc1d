package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// The words for a webhook that replace those of the wire format.
var calledWords = map[string]string{
	document.Yes:     "called",
	document.No:      "not called",
	document.Depends: "depends",
}

const calledColumns = len("not called") + 2

func (t *text) Explanation(e *document.Explanation) error {
	p := newPage(t.options)
	if t.explained > 0 {
		p.line(0, "")
	}
	t.explained++
	title := words.RequestTitle(e.Request)
	if e.Admission > 0 {
		title += fmt.Sprintf(", admission %d of %d", e.Admission, e.Admissions)
	}
	p.line(0, p.paint(p.bold, title))
	p.paragraph(2, p.faint, words.RequestAbout(e.Request))

	p.authorization(e.Authorization)
	if e.Early {
		p.line(0, "")
		p.refusal("denied, before any webhook is called:", e.Denied)
	}
	askedText(e, p)
	p.hanging(e)
	if e.Denied != nil && !e.Early {
		p.line(0, "")
		p.refusal("denied, even if all webhooks allow it:", e.Denied)
	}
	if e.Note != "" {
		p.line(0, "")
		p.labelledLines(2, "note:", e.Note)
	}
	_, err := io.WriteString(t.w, p.String())
	return err
}

// askedText says for all hooks whether they would be asked.
func askedText(e *document.Explanation, p *page) {
	all := len(e.MutatingPolicies) + len(e.Mutating) + len(e.ValidatingPolicies) + len(e.Validating)
	if e.Early && all == 0 { // it does not reach admission
		return
	}
	if e.Early {
		p.paragraph(2, p.faint, "who would be asked about it otherwise:")
	}
	var column nameColumn
	for _, list := range [][]document.WebhookExplanation{e.Mutating, e.Validating} {
		for _, w := range list {
			column.add(stepIndent, webhookName(w))
		}
	}
	for _, list := range [][]document.PolicyExplanation{e.MutatingPolicies, e.ValidatingPolicies} {
		for _, w := range list {
			column.add(stepIndent, policyName(w))
		}
	}
	names := column.width()
	p.policies("mutating policies, one after the other", e.MutatingPolicies, names)
	none := "there are none"
	if e.Called {
		none = "none is called"
	}
	p.webhooks("mutating webhooks, one after the other", e.Mutating, names, none)
	p.policies("validating policies, all of them before any denial", e.ValidatingPolicies, names)
	p.webhooks("validating webhooks, side by side", e.Validating, names, none)
}

func (p *page) refusal(label string, d *document.Denial) {
	p.labelled(2, p.bad, label, d.Status.Message)
	p.by(d.By, d.Hint)
}

func webhookName(w document.WebhookExplanation) string { return words.NameOf(w.Configuration, w.Name) }

func (p *page) webhooks(title string, list []document.WebhookExplanation, names int, none string) {
	p.line(0, "")
	p.line(phaseIndent, p.paint(p.bold, title))
	if len(list) == 0 {
		p.line(stepIndent, p.paint(p.faint, none))
	}
	for _, w := range list {
		p.webhook(w, names)
	}
}

func (p *page) webhook(w document.WebhookExplanation, names int) {
	called := w.Called
	colour := map[string]string{document.Yes: p.good, document.Depends: p.changed, document.No: p.faint}[called]
	p.hook(webhookName(w), names, p.paint(colour, padded(calledWords[called], calledColumns)), w.Source, w.Because)
	if called != document.No {
		p.paragraph(changeIndent, p.faint, webhookTerms(w))
	}
	p.would("called", w.CalledIf)
}

// hook writes a webhook or policy, what happens to it, its source and why.
func (p *page) hook(name string, names int, becomes, source, because string) {
	head := strings.Repeat(" ", stepIndent) + name
	if words.Columns(head)+2 > names {
		p.line(0, head)
		head = ""
	}
	p.line(0, padded(head, names)+becomes+p.paint(p.faint, source))
	p.paragraph(changeIndent, "", because)
}

// would says which changes would make a difference.
func (p *page) would(be string, changes []string) {
	if len(changes) > 0 {
		p.paragraph(changeIndent, p.faint, "would be "+be+" if "+strings.Join(changes, ", and "))
	}
}

// webhookTerms returns the conditions under which the webhook is called.
func webhookTerms(w document.WebhookExplanation) string {
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

// hanging says what happens to the request if all webhooks hang, and how long they may take together if they answer at
// the last moment.
func (p *page) hanging(e *document.Explanation) {
	if e.Hanging == nil {
		return
	}
	after, limit := e.Hanging.After.Duration, e.Timeouts.Request.Duration
	sum := e.Timeouts.Mutating.Duration + e.Timeouts.Validating.Duration
	over := e.Hanging.Refused && e.Hanging.By == nil
	text := "if all of them hang, the request "
	switch {
	case over:
		text += fmt.Sprintf("is refused after %s, the time limit of a request; their timeouts add up to %s", limit, sum)
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
		text += fmt.Sprintf(", more than the %s that a request may take", limit)
	default:
		text += fmt.Sprintf("; a request may take %s", limit)
	}
	p.line(0, "")
	p.paragraph(phaseIndent, colour, text)
}

// The words for a policy that replace those of the wire format.
var askedWords = map[string]string{
	document.Yes:     "asked",
	document.No:      "not asked",
	document.Depends: "depends",
}

func policyName(e document.PolicyExplanation) string { return words.NameOf(e.Policy, e.Binding) }

// policies writes policies; it leaves them out if a cluster has none.
func (p *page) policies(title string, list []document.PolicyExplanation, names int) {
	if len(list) == 0 {
		return
	}
	p.line(0, "")
	p.line(phaseIndent, p.paint(p.bold, title))
	for _, e := range list {
		p.policy(e, names)
	}
}

func (p *page) policy(e document.PolicyExplanation, names int) {
	asked := e.Asked
	colour := map[string]string{document.Yes: p.good, document.Depends: p.changed, document.No: p.faint}[asked]
	p.hook(policyName(e), names, p.paint(colour, padded(askedWords[asked], calledColumns)), words.Join(e.Source, e.BindingSource), e.Because)
	if asked != document.No {
		p.paragraph(changeIndent, p.faint, policyTerms(e))
	}
	p.would("asked", e.AskedIf)
}

// policyTerms returns the conditions under which the policy is evaluated.
func policyTerms(e document.PolicyExplanation) string {
	terms := []string{"failurePolicy " + e.FailurePolicy}
	if len(e.ValidationActions) > 0 {
		terms = append(terms, "validationActions "+strings.Join(e.ValidationActions, ", "))
	}
	if e.Param != "" {
		terms = append(terms, "params "+e.Param)
	}
	if e.Reinvocable {
		terms = append(terms, "asked again if needed")
	}
	return strings.Join(terms, ", ")
}
