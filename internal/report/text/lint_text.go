package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// WriteLint writes findings in the format of compilers: a line that editors can jump to, what to do about it, and a
// summary at the end. What several findings of a rule have in common is written with the first of them.
func WriteLint(w io.Writer, l *document.Lint, o document.Options) error {
	p := newPage(o)
	type advice struct{ rule, text string }
	given := map[advice]bool{}
	for _, f := range l.Findings {
		remedy, why := advice{f.Rule, f.Remedy}, advice{rule: f.Rule}
		p.finding(l, f, !given[remedy], o.Verbose && !given[why])
		given[remedy], given[why] = true, true
	}
	if o.Verbose {
		for _, f := range l.Suppressed {
			p.located(f.At.String(), "ignored", p.faint, f.Rule, f.Message)
			p.labelled(4, "", "because:", f.Reason)
		}
	}
	if len(l.Findings) > 0 || o.Verbose && len(l.Suppressed) > 0 {
		p.line(0, "")
	}
	p.paragraph(0, "", fmt.Sprint(l.Summary))
	p.unreached(l.Summary, o.Verbose)
	_, err := io.WriteString(inert.NewWriter(w), p.String())
	return err
}

// maxUnreached is how many kinds of requests that reached no webhook are shown.
const maxUnreached = 10

func (p *page) unreached(s document.LintSummary, all bool) {
	if len(s.Unreached) == 0 {
		return
	}
	p.line(0, fmt.Sprintf("%d of %s reached no webhook:", s.UnreachedRequests(), words.Plural(s.Requests, "request")))
	for i, u := range s.Unreached {
		if i == maxUnreached && !all {
			p.line(4, fmt.Sprintf("and %d more kinds (-v shows them)", len(s.Unreached)-i))
			return
		}
		names := strings.Join(u.First, ", ")
		if u.Requests > len(u.First) {
			names += ", …"
		}
		p.labelled(4, "", fmt.Sprintf("%d ×", u.Requests), fmt.Sprintf("%s %s: %s", u.Operation, u.Resource, names))
	}
}

// finding writes a finding, its remedy and why its rule exists.
func (p *page) finding(l *document.Lint, f document.Finding, remedy, why bool) {
	p.located(f.At.String(), f.Severity, p.severity(f.Severity), f.Rule, f.Message)
	if who := f.Who(); who != "" {
		p.paragraph(4, p.faint, who)
	}
	if remedy {
		p.labelled(4, "", "remedy:", f.Remedy)
	}
	for _, r := range f.Related {
		p.labelled(4, "", fmt.Sprintf("see %s:", r.At), r.Message)
	}
	if !why {
		return
	}
	if rule, ok := l.RuleOf(f); ok {
		p.labelled(4, "", "why:", rule.Why)
		if rule.URL != "" {
			p.line(4, "more: "+rule.URL)
		}
	}
}

// located writes a message in the format of compilers. The place, what it is and the rule are always on the first line,
// where editors look for them. Further lines of a message, such as an expression and a mark below it, stay lines.
func (p *page) located(at, what, colour, rule, message string) {
	message, more, _ := strings.Cut(message, "\n")
	rows := fill(append([]string{at + ": " + what + " " + rule + ":"}, strings.Fields(message)...), p.room(4))
	for line := range strings.Lines(more) {
		if line = strings.TrimRight(line, "\n"); strings.HasPrefix(line, " | ") { // the mark has to stay below what it marks
			rows = append(rows, strings.TrimPrefix(line, " "))
		} else {
			rows = append(rows, wrap(line, p.room(4))...)
		}
	}
	p.line(0, p.paint(p.bold, at)+": "+p.paint(colour, what)+strings.TrimPrefix(rows[0], at+": "+what))
	for _, row := range rows[1:] {
		p.line(4, row)
	}
}

func (p palette) severity(s string) string {
	switch s {
	case document.LintError:
		return p.bad
	case document.LintWarning:
		return p.changed
	}
	return p.faint
}
