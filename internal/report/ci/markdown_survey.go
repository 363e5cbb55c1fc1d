package ci

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// surveyMarkdown writes the webhooks and policies that have regions, folded, with a list of these regions.
func surveyMarkdown(s *document.Survey, m *Markdown) {
	var all []document.SurveyRegion
	for _, one := range s.Subjects {
		all = append(all, one.Regions...)
	}
	fmt.Fprintf(m, "## %s %s\n\n", regionsMark(all), MarkdownCode(s.Title()))
	var none, same []string
	for _, one := range s.Subjects {
		switch {
		case len(one.Regions) > 0:
		case one.Before != nil:
			same = append(same, one.Title())
			continue
		default:
			none = append(none, one.Title())
			continue
		}
		about := words.Join(one.Title(), one.Change)
		if one.Before != nil {
			about = words.Join(about, "before: "+one.Before.String())
		}
		m.regions(words.Join(about, one.Webhook.Source), one.About, one.Regions, document.SurveyWords)
	}
	if m.left > 0 {
		fmt.Fprintf(m, "%d more: other formats have them all.\n\n", m.left)
	}
	for _, one := range s.Same {
		same = append(same, one.String())
	}
	m.named(s.None(), none)
	m.named("asked for exactly the same requests", same)
	m.notes(s.Notes())
}

// equivalenceMarkdown writes which requests only one of two worlds is asked about, and which they decide differently.
func equivalenceMarkdown(e *document.Equivalence, m *Markdown) {
	mark := map[document.Verdict]string{document.Equivalent: "✅", document.DifferentDecisions: "❌"}[e.Verdict]
	if mark == "" {
		mark = "⚠️"
	}
	fmt.Fprintf(m, "## %s %s\n\n", mark, MarkdownCode(e.Title()))
	if len(e.Regions) > 0 {
		m.regions(e.Requests(), "", e.Regions, e.RegionWords)
	} else {
		fmt.Fprintf(m, "- %s\n", e.Requests())
	}
	fmt.Fprintf(m, "- %s\n", e.Decisions())
	for _, line := range e.Made() {
		fmt.Fprintf(m, "  - %s\n", line)
	}
	m.WriteString("\n")
	if e.First != nil {
		var first strings.Builder
		fmt.Fprintln(&first, "  "+words.OneLine(words.Join(e.First.Request.String(), e.First.Request.About())))
		for _, d := range e.First.Differences {
			fmt.Fprintf(&first, "- %s\n+ %s\n", words.OneLine(d.Base), words.OneLine(d.Head))
		}
		m.WriteString("The first request that is decided in another way:\n\n")
		m.Fenced("diff", first.String())
	}
	for _, g := range e.Differences {
		fmt.Fprintf(m, "- %s\n", MarkdownCode(fmt.Sprintf("%s %s by %s: %s", words.Plural(g.Requests, "request"), g.Change, g.By, brief(g.What))))
	}
	for _, one := range e.Errors {
		fmt.Fprintf(m, "- not answered: %s\n", MarkdownCode(one.String()))
	}
	m.notes(e.Notes())
}

// regionsMark says how bad it is that these regions exist.
func regionsMark(all []document.SurveyRegion) string {
	mark := "✅"
	for _, r := range all {
		switch r.What {
		case document.IsAsked:
		case document.NewlyAsked, document.NoLongerAsked, document.NoLongerRefused:
			mark = "⚠️"
		default:
			return "❌"
		}
	}
	return mark
}

// regions writes regions below what happens to them, in these words.
func (m *Markdown) regions(title, about string, all []document.SurveyRegion, in func(what string) string) {
	if m.full() {
		return
	}
	fmt.Fprintf(m, "<details>\n<summary>%s %s: %s</summary>\n\n", regionsMark(all), MarkdownCode(title), words.Plural(len(all), "region"))
	if about != "" {
		fmt.Fprintf(m, "%s\n\n", MarkdownCode(about))
	}
	what := ""
	for i, r := range all {
		if m.Len() > roomForTroubles {
			fmt.Fprintf(m, "- and %s more\n", words.Plural(len(all)-i, "region"))
			break
		}
		if r.What != what {
			what = r.What
			fmt.Fprintf(m, "\n%s:\n\n", MarkdownCode(in(what)))
		}
		fmt.Fprintf(m, "- %s\n", MarkdownCode(r.Text))
		if r.Witness != nil {
			fmt.Fprintf(m, "  such as %s\n", MarkdownCode(r.Witness.String()))
		}
	}
	m.WriteString("\n</details>\n\n")
}

// named writes a folded list of names below what is true of all of them.
func (m *Markdown) named(what string, names []string) {
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(m, "<details>\n<summary>%s: %d</summary>\n\n", what, len(names))
	if rest := len(names) - maxMissed; rest > 0 {
		names = append(names[:maxMissed:maxMissed], fmt.Sprintf("and %d more", rest))
	}
	for _, name := range names {
		fmt.Fprintf(m, "- %s\n", MarkdownCode(name))
	}
	m.WriteString("\n</details>\n\n")
}

func (m *Markdown) notes(notes []string) {
	for _, note := range notes {
		fmt.Fprintf(m, "\n%s\n", MarkdownCode(note))
	}
}
