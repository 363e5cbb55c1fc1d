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
// summary at the end.
func WriteLint(w io.Writer, l *document.Lint, o document.Options) error {
	p := paletteOf(o.Colour)
	var b strings.Builder
	for _, f := range l.Findings {
		p.finding(&b, l, f, o.Verbose)
	}
	if o.Verbose {
		for _, f := range l.Suppressed {
			fmt.Fprintf(&b, "%s: %s %s: %s\n", f.At, p.paint(p.faint, "ignored"), f.Rule, f.Message)
			fmt.Fprintf(&b, "    because: %s\n", f.Reason)
		}
	}
	if len(l.Findings) > 0 || o.Verbose && len(l.Suppressed) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintln(&b, l.Summary)
	unreached(&b, l.Summary, o.Verbose)
	_, err := io.WriteString(inert.NewWriter(w), b.String())
	return err
}

// maxUnreached is how many kinds of requests that reached no webhook are shown.
const maxUnreached = 10

func unreached(b *strings.Builder, s document.LintSummary, all bool) {
	if len(s.Unreached) == 0 {
		return
	}
	fmt.Fprintf(b, "%d of %s reached no webhook:\n", s.UnreachedRequests(), words.Plural(s.Requests, "request"))
	for i, u := range s.Unreached {
		if i == maxUnreached && !all {
			fmt.Fprintf(b, "    and %d more kinds (-v shows them)\n", len(s.Unreached)-i)
			return
		}
		names := strings.Join(u.First, ", ")
		if u.Requests > len(u.First) {
			names += ", …"
		}
		fmt.Fprintf(b, "    %d × %s %s: %s\n", u.Requests, u.Operation, u.Resource, names)
	}
}

func (p palette) finding(b *strings.Builder, l *document.Lint, f document.Finding, verbose bool) {
	fmt.Fprintf(b, "%s: %s %s: %s\n", p.paint(p.bold, f.At.String()), p.paint(p.severity(f.Severity), f.Severity), f.Rule, f.Message)
	if who := f.Who(); who != "" {
		fmt.Fprintf(b, "    %s\n", p.paint(p.faint, who))
	}
	fmt.Fprintf(b, "    remedy: %s\n", f.Remedy)
	for _, r := range f.Related {
		fmt.Fprintf(b, "    see %s: %s\n", r.At, r.Message)
	}
	if !verbose {
		return
	}
	if rule, ok := l.RuleOf(f); ok {
		fmt.Fprintf(b, "    why: %s\n", rule.Why)
		if rule.URL != "" {
			fmt.Fprintf(b, "    more: %s\n", rule.URL)
		}
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
