package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/whatif"
)

// writeDiffMarkdown writes what changes for a comment on the pull request that changes it: GitHub's Markdown,
// as long as GitHub shows it.
func writeDiffMarkdown(w io.Writer, d *Diff, o Options) error {
	m := &markdown{options: o}
	d.markdown(m)
	_, err := io.WriteString(inert.NewWriter(w), m.String())
	return err
}

func (d *Diff) markdown(m *markdown) {
	mark, verdict := "✅", "Nothing changes for "+plural(d.Requests, "request")
	switch {
	case d.requests(whatif.NewlyDenied) > 0 || d.Undecided > 0:
		mark = "❌"
	case d.Changed > 0:
		mark = "⚠️"
	}
	if d.Changed > 0 {
		verdict = fmt.Sprintf("%s of %s changed", thousands(d.Changed), plural(d.Requests, "request"))
	}
	fmt.Fprintf(m, "## %s %s%s\n\nFrom %s to %s.\n\n", mark, verdict, d.undecided(), markdownCode(d.Base), markdownCode(d.Head))
	if d.Changed > 0 {
		m.WriteString("| what changes | requests |\n|---|--:|\n")
		for _, change := range whatif.Changes() {
			if n := d.requests(change); n > 0 {
				fmt.Fprintf(m, "| %s | %s |\n", changeWords[change], thousands(n))
			}
		}
		m.WriteString("\n")
	}
	for _, g := range d.Groups {
		d.markdownGroup(m, g)
	}
	if m.left > 0 {
		fmt.Fprintf(m, "%s more: other formats have them all.\n\n", plural(m.left, "group"))
	}
	d.markdownCalls(m)
	for _, e := range d.Errors {
		fmt.Fprintf(m, "- not answered: %s: %s\n", markdownCode(e.Request.String()), markdownCode(e.Error))
	}
}

// markdownGroup writes changes that are about the same, folded out where they deny.
func (d *Diff) markdownGroup(m *markdown, g DiffGroup) {
	if m.Len() > roomForTroubles {
		m.left++
		return
	}
	change, open := whatif.Change(g.Change), ""
	if change == whatif.NewlyDenied {
		open = " open"
	}
	fmt.Fprintf(m, "<details%s>\n<summary><b>%s</b> %s: %s</summary>\n\n", open,
		changeWords[change], markdownCode(shorten(oneLine(d.groupTitle(g)), 400)), plural(g.Requests, "request"))
	if g.By != nil && change != whatif.DifferentCalls {
		fmt.Fprintf(m, "%s %s\n\n", byWord(change), markdownCode(join(g.By.String(), g.By.Source)))
	}
	if g.Requests > 1 { // else the sample says it
		m.counts("users", g.Users)
		m.counts("namespaces", g.Namespaces)
		m.counts("requests", g.Resources)
		m.WriteString("\n")
	}
	var samples strings.Builder
	for _, s := range g.Samples {
		fmt.Fprintln(&samples, "  "+oneLine(join(s.Request.String(), s.Request.about())))
		for _, side := range []struct{ mark, text string }{{"-", s.Base}, {"+", s.Head}} {
			if side.text != "" {
				fmt.Fprintln(&samples, side.mark, oneLine(sideText(change, side.text)))
			}
		}
	}
	m.fenced("diff", samples.String())
	m.WriteString("</details>\n\n")
}

func (m *markdown) counts(what string, all []Count) {
	if parts := countWords(all, mostCounts); len(parts) > 0 {
		fmt.Fprintf(m, "- %s: %s\n", what, markdownCode(strings.Join(parts, ", ")))
	}
}

func (d *Diff) markdownCalls(m *markdown) {
	head := "| calls of webhooks | base | head | change |\n|---|--:|--:|--:|\n"
	for _, c := range d.Calls {
		if c.Base != c.Head {
			fmt.Fprintf(m, "%s| %s | %s | %s | %s |\n", head, markdownCode(c.Webhook.String()), thousands(c.Base), thousands(c.Head), signed(c.Head-c.Base))
			head = ""
		}
	}
	if head == "" {
		m.WriteString("\n")
	}
}
