package ci

import (
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// WriteDiffMarkdown writes what changes, for a comment on the pull request that causes it, in GitHub's Markdown and
// within GitHub's size limit.
func WriteDiffMarkdown(w io.Writer, d *document.Diff, o document.Options) error {
	m := &Markdown{options: o}
	diffMarkdown(d, m)
	_, err := io.WriteString(inert.NewWriter(w), m.String())
	return err
}

func diffMarkdown(d *document.Diff, m *Markdown) {
	mark, verdict := "✅", "Nothing changes for "+words.Plural(d.Requests, "request")
	switch {
	case d.RequestsOf(document.NewlyDenied) > 0 || d.Undecided > 0:
		mark = "❌"
	case d.Changed > 0:
		mark = "⚠️"
	}
	if d.Changed > 0 {
		verdict = fmt.Sprintf("%s of %s changed", words.Thousands(d.Changed), words.Plural(d.Requests, "request"))
	}
	fmt.Fprintf(m, "## %s %s%s\n\nFrom %s to %s.\n\n", mark, verdict, d.AboutUndecided(), MarkdownCode(d.Base), MarkdownCode(d.Head))
	if d.Changed > 0 {
		m.WriteString("| what changes | requests |\n|---|--:|\n")
		for _, change := range document.Changes() {
			if n := d.RequestsOf(change); n > 0 {
				fmt.Fprintf(m, "| %s | %s |\n", document.ChangeWords[change], words.Thousands(n))
			}
		}
		m.WriteString("\n")
	}
	for _, g := range d.Groups {
		groupMarkdown(d, m, g)
	}
	if m.left > 0 {
		fmt.Fprintf(m, "%s more: other formats have them all.\n\n", words.Plural(m.left, "group"))
	}
	callsMarkdown(d, m)
	if about := d.AboutAssumed(); about != "" {
		fmt.Fprintf(m, "- assumed: %s; %s\n", MarkdownCode(about), document.AssumedHint)
	}
	for _, e := range d.Errors {
		fmt.Fprintf(m, "- not answered: %s: %s\n", MarkdownCode(e.Request.String()), MarkdownCode(e.Error))
	}
}

// groupMarkdown writes a group of changes, expanded if they deny requests.
func groupMarkdown(d *document.Diff, m *Markdown, g document.DiffGroup) {
	if m.full() {
		return
	}
	change, open := g.Change, ""
	if change == document.NewlyDenied {
		open = " open"
	}
	fmt.Fprintf(m, "<details%s>\n<summary><b>%s</b> %s: %s</summary>\n\n", open,
		document.ChangeWords[change], MarkdownCode(brief(d.GroupTitle(g))), words.Plural(g.Requests, "request"))
	if g.By != (document.Actor{}) && change != document.DifferentCalls {
		fmt.Fprintf(m, "%s %s\n\n", document.ByWord(change), MarkdownCode(words.Join(g.By.String(), g.By.Source)))
	}
	if g.Requests > 1 { // otherwise the sample shows it
		m.counts("users", g.Users)
		m.counts("namespaces", g.Namespaces)
		m.counts("requests", g.Resources)
		m.WriteString("\n")
	}
	var samples strings.Builder
	for _, s := range g.Samples {
		fmt.Fprintln(&samples, "  "+words.OneLine(words.Join(s.Request.String(), s.Request.About())))
		for _, side := range []struct{ mark, text string }{{"-", s.Base}, {"+", s.Head}} {
			if side.text != "" {
				fmt.Fprintln(&samples, side.mark, words.OneLine(document.SideText(change, side.text)))
			}
		}
		if s.Because != "" {
			fmt.Fprintln(&samples, "  because", words.OneLine(s.Because))
		}
	}
	m.Fenced("diff", samples.String())
	m.WriteString("</details>\n\n")
}

func (m *Markdown) counts(what string, all []document.Count) {
	if parts := document.CountWords(all, document.MostCounts); len(parts) > 0 {
		fmt.Fprintf(m, "- %s: %s\n", what, MarkdownCode(strings.Join(parts, ", ")))
	}
}

func callsMarkdown(d *document.Diff, m *Markdown) {
	head := "| calls of webhooks | base | head | change |\n|---|--:|--:|--:|\n"
	for _, c := range d.Calls {
		if c.Base != c.Head {
			fmt.Fprintf(m, "%s| %s | %s | %s | %s |\n", head, MarkdownCode(c.Webhook.String()), words.Thousands(c.Base), words.Thousands(c.Head), words.Signed(c.Head-c.Base))
			head = ""
		}
	}
	if head == "" {
		m.WriteString("\n")
	}
}
