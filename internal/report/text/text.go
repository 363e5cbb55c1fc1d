// Package text writes results for people at a terminal, in the words of kubectl.
//
// Text is written from the same documents as JSON and never contains more.
package text

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

// text is for people: the request and the decision, then the steps, then the object.
type text struct {
	w       io.Writer
	options document.Options

	results, admitted, undecided int
	unknown                      int // requests without a result
	explained                    int
}

func New(w io.Writer, o document.Options) document.Sink {
	return &text{w: inert.NewWriter(w), options: o}
}

func (t *text) Result(a *document.Answer) error { return t.write(a.Result) }

func (t *text) write(r *report.Result) error {
	p := newPage(t.options)
	if t.results > 0 {
		p.line(0, "")
	}
	t.results++
	switch {
	case r.Allowed:
		t.admitted++
	case r.Undecided != "":
		t.undecided++
	}
	p.verdict(r)
	if a := r.Authorization; a != nil && (a.Allowed || !a.Enforced) { // otherwise it is the answer
		p.authorization(a)
	}
	if why := words.Repeated(r); why != "" {
		p.paragraph(2, p.faint, why)
	}
	for i, a := range r.Admissions {
		if len(r.Admissions) > 1 {
			p.line(0, "")
			p.line(2, p.paint(p.bold, fmt.Sprintf("admission %d of %d: %s %s %s", i+1, len(r.Admissions), a.Operation, a.Kind.Kind, a.Name)))
		}
		(&stepsText{page: p, verbose: t.options.Verbose}).write(a.Steps)
	}
	p.messages(r, t.options.Verbose)
	p.answer(r)
	p.undetermined(r)
	_, err := io.WriteString(t.w, p.String())
	return err
}

// authorization says that a request is refused before admission, or would be, and what the authorization webhooks that
// were asked about it said.
func (p *page) authorization(a *report.Authorization) {
	switch {
	case a == nil:
	case a.Allowed:
		if a.By != "" && len(a.Asked)+len(a.NotAsked) > 0 {
			by := "authorized by " + a.By
			if a.Reason != "" {
				by += ":"
			}
			p.labelled(2, p.faint, by, a.Reason)
		}
	case a.Enforced:
		p.labelled(2, p.bad, "not authorized:", a.Message)
	default:
		p.labelled(2, p.changed, "not authorized:", a.Message+" (--authorization would refuse it)")
	}
	if a != nil {
		for _, asked := range a.Asked {
			p.labelled(2, p.faint, "asked", asked)
		}
		for _, not := range a.NotAsked {
			p.labelled(2, p.faint, "not asked", not)
		}
	}
}

// Undecided counts a request without a result.
func (t *text) Undecided() { t.unknown++ }

// Close writes a summary if there was more than one request.
func (t *text) Close() error {
	all, undecided := t.results+t.unknown, t.unknown+t.undecided
	if all < 2 {
		return nil
	}
	sum := fmt.Sprintf("%d requests: %d admitted, %d denied", all, t.admitted, t.results-t.admitted-t.undecided)
	if undecided > 0 {
		sum += fmt.Sprintf(", %d undecided", undecided)
	}
	if t.results > 0 {
		sum = "\n" + sum
	}
	_, err := fmt.Fprintln(t.w, sum)
	return err
}

// verdict writes the decision and the request.
func (p *page) verdict(r *report.Result) {
	word, colour := "admitted", p.good
	switch {
	case r.Undecided != "":
		word, colour = "undecided", p.changed
	case !r.Allowed:
		word, colour = "denied", p.bad
	}
	p.wrapped(p.paint(colour, word)+"  ", len(word)+2, p.bold, words.RequestTitle(r.Request))
	about := words.RequestAbout(r.Request) + ", " + words.Answered(r)
	if r.Elapsed.Duration > 0 {
		about += " after " + words.Briefly(r.Elapsed.Duration)
	}
	p.paragraph(2, p.faint, strings.TrimPrefix(about, ", "))
}

// messages writes what the client sees besides the answer and, if verbose, the audit event.
func (p *page) messages(r *report.Result, verbose bool) {
	if len(r.Warnings) > 0 {
		p.line(0, "")
	}
	for _, w := range r.Warnings {
		p.labelled(2, p.changed, "Warning:", w)
	}
	if r.Allowed {
		p.hint(2, r.Hint)
	}
	if !verbose || len(r.AuditAnnotations) == 0 {
		return
	}
	p.line(0, "")
	p.line(2, p.paint(p.bold, "audit annotations"))
	for _, k := range slices.Sorted(maps.Keys(r.AuditAnnotations)) {
		p.line(4, k+":")
		p.paragraph(6, "", r.AuditAnnotations[k])
	}
}

// answer writes the status of a denial, or the object as the client receives it.
func (p *page) answer(r *report.Result) {
	switch {
	case r.Undecided != "":
		p.line(0, "")
		p.labelled(2, p.changed, "admsim cannot tell:", r.Undecided)
		p.hint(2, r.Hint)
	case !r.Allowed:
		p.line(0, "")
		p.denial(r)
	case words.Connected(r) && r.Status != nil:
		p.line(0, "")
		p.paragraph(2, p.faint, fmt.Sprintf("nothing runs in a simulated cluster, so the connection itself fails with %d: %s", r.Code, r.Status.Message))
	case len(r.Object) > 0:
		p.line(0, "")
		for row := range strings.Lines(string(document.ObjectText(r.Object))) {
			p.line(2, strings.TrimRight(row, "\n"))
		}
	case r.Text != "":
		p.line(0, "")
		p.line(2, r.Text)
	}
}

func (p *page) denial(r *report.Result) {
	if r.Status != nil {
		kubectlErrorOf(r.Status).write(p, 2)
	} else {
		p.labelled(2, p.bad, "Error from server:", strings.TrimSpace(r.Text))
	}
	p.by(*r.DeniedBy, r.Hint)
}

// undetermined writes the other possible answers.
func (p *page) undetermined(r *report.Result) {
	if r.Undetermined == "" {
		return
	}
	p.line(0, "")
	because := r.Undetermined
	if len(r.Alternatives) > 0 {
		because += "; it may also be"
	}
	p.labelled(2, p.changed, "undetermined:", because)
	for _, a := range r.Alternatives {
		if a.Status != nil {
			kubectlErrorOf(a.Status).write(p, 4)
			p.paragraph(6, p.faint, words.Join("by "+a.DeniedBy.String(), a.DeniedBy.Source))
		} else {
			p.line(4, words.InsteadOf(a, r))
			p.changes(6, a.Changes, false)
		}
		for _, d := range words.Otherwise(a, r) {
			p.labelled(6, p.changed, d.Label, d.Text)
		}
	}
}

func (p *page) by(d report.Decider, hint string) {
	p.paragraph(4, p.faint, words.Join("by "+d.String(), d.Source))
	p.hint(2, hint)
}

func (p *page) hint(indent int, hint string) { p.labelledLines(indent, "hint:", hint) }

// labelledLines writes each line of a text with its own label.
func (p *page) labelledLines(indent int, label, text string) {
	for line := range strings.Lines(text) {
		p.labelled(indent, p.bold, label, strings.TrimRight(line, "\n"))
	}
}
