package ci

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// checkMarkdown writes a table of the checks, and then each finding, expanded.
func checkMarkdown(c *document.Check, m *Markdown) {
	mark := "✅"
	switch {
	case len(c.Findings) > 0 || c.Undecided > 0:
		mark = "❌"
	case c.Requests == 0:
		mark = "⚠️"
	}
	fmt.Fprintf(m, "## %s %s\n\n| | check | |\n|---|---|---|\n", mark, c.Summary())
	for _, name := range c.Checks {
		fmt.Fprintf(m, "| %s | %s | %s |\n", checkMark(c.Outcome(name)), MarkdownCode(name), MarkdownCode(c.About(name)))
	}
	m.WriteString("\n")
	for _, name := range c.Checks {
		for _, f := range c.Of(name) {
			findingMarkdown(f, m)
		}
	}
	if m.left > 0 {
		fmt.Fprintf(m, "%s more: other formats have them all.\n\n", words.Plural(m.left, "finding"))
	}
	for _, by := range c.Unanswered {
		fmt.Fprintf(m, "- could not be tried: %s: %s\n", MarkdownCode(by.String()), document.NotTried)
	}
	for _, e := range c.Errors {
		fmt.Fprintf(m, "- not answered: %s\n", MarkdownCode(e.String()))
	}
}

func checkMark(o document.CheckOutcome) string {
	switch o {
	case document.CheckNotOK:
		return "❌"
	case document.CheckOK:
		return "✅"
	case document.CheckUnknown:
		return "⚠️"
	}
	return "–"
}

func findingMarkdown(f document.CheckFinding, m *Markdown) {
	if m.full() {
		return
	}
	fmt.Fprintf(m, "<details open>\n<summary><b>❌ %s</b> %s</summary>\n\n", MarkdownCode(f.Check), MarkdownCode(brief(f.Title())))
	if about := words.Join(f.Field, f.About()); about != "" {
		fmt.Fprintf(m, "%s\n\n", MarkdownCode(about))
	}
	var samples strings.Builder
	for _, s := range f.Samples {
		fmt.Fprintln(&samples, words.OneLine(words.Join(s.Request.String(), s.Request.About())))
		if s.Detail != "" {
			fmt.Fprintln(&samples, " ", brief(s.Detail))
		}
	}
	if samples.Len() > 0 {
		m.Fenced("", samples.String())
	}
	if f.Remedy != "" {
		fmt.Fprintf(m, "Remedy: %s\n\n", MarkdownCode(f.Remedy))
	}
	m.WriteString("</details>\n\n")
}
