package ci

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// WriteSuitesMarkdown writes the results of suites for a comment, a summary page or a wiki, in GitHub's Markdown, with
// problems first.
func WriteSuitesMarkdown(w io.Writer, r *outcome.Results, steps Steps, o document.Options) error {
	m := &Markdown{steps: steps, options: o}
	m.head(r)
	for _, s := range r.Suites {
		if err := m.wrong(s); err != nil {
			return err
		}
	}
	if m.left > 0 {
		fmt.Fprintf(m, "%d more did not pass: other formats have them all.\n\n", m.left)
	}
	m.suites(r)
	m.coverage(r.Coverage)
	_, err := io.WriteString(inert.NewWriter(w), m.String())
	return err
}

type Markdown struct {
	strings.Builder
	steps   Steps
	options document.Options
	left    int // problems that were left out for lack of space
}

// GitHub does not show a summary longer than 1 MiB. If space is short, the steps of cases are left out first, and then
// their problems.
const (
	roomForSteps    = 500 << 10
	roomForTroubles = 800 << 10
	maxMissed       = 500 // parts listed as not covered
)

func (m *Markdown) head(r *outcome.Results) {
	s := r.Summary()
	mark := "✅"
	if !s.OK() {
		mark = "❌"
	}
	fmt.Fprintf(m, "## %s %s\n\n", mark, s.String())
}

// wrong writes the cases of a suite that failed, collapsed.
func (m *Markdown) wrong(r outcome.Suite) error {
	if whole := outcome.WholeTroubles(r); len(whole) > 0 {
		m.fold(r.Name, r.Source.String(), whole, "")
	}
	for _, c := range r.Cases {
		if c.Outcome != outcome.Failed && c.Outcome != outcome.Errored {
			continue
		}
		steps := ""
		if m.Len() < roomForSteps {
			var err error
			if steps, err = m.steps(c, m.options); err != nil {
				return err
			}
		}
		m.fold(c.FullName(), c.Source.String(), outcome.CaseTroubles(c), steps)
	}
	return nil
}

// full reports whether there is no room for one more item, and counts the item as left out.
func (m *Markdown) full() bool {
	if m.Len() <= roomForTroubles {
		return false
	}
	m.left++
	return true
}

func (m *Markdown) fold(title, source string, all []outcome.Trouble, steps string) {
	if m.full() {
		return
	}
	if source != "" {
		source = " " + MarkdownCode(source)
	}
	fmt.Fprintf(m, "<details open>\n<summary><b>❌ %s</b>%s</summary>\n\n", MarkdownCode(title), source)
	for _, t := range all {
		m.Fenced("diff", t.Placed())
	}
	if steps != "" {
		m.WriteString("<details>\n<summary>how it came about</summary>\n\n")
		m.Fenced("", steps)
		m.WriteString("</details>\n")
	}
	m.WriteString("</details>\n\n")
}

// Fenced writes text as it is. The fence is longer than any in the text.
func (m *Markdown) Fenced(language, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(m, "%s%s\n%s\n%s\n\n", fence, language, strings.TrimRight(text, "\n"), fence)
}

func (m *Markdown) suites(r *outcome.Results) {
	m.WriteString("| suite | passed | failed | errors | skipped | time |\n|---|--:|--:|--:|--:|--:|\n")
	for _, one := range r.Suites {
		s := one.Summary()
		fmt.Fprintf(m, "| %s | %d | %d | %d | %d | %s |\n", MarkdownCode(one.Name), s.Passed, s.Failed, s.Errored+s.Problems, s.Skipped, one.Took.Round(time.Millisecond))
	}
}

func (m *Markdown) coverage(c *outcome.Coverage) {
	if c == nil || len(c.Items) == 0 {
		return
	}
	fmt.Fprintf(m, "\n**Coverage: %s**\n\n| reached | |\n|---|--:|\n", c.PercentText())
	for _, n := range c.Counts() {
		fmt.Fprintf(m, "| %s | %d of %d |\n", n.Part, n.Reached, n.Total)
	}
	var missed []string
	for _, item := range c.Items {
		if item.Times == 0 {
			missed = append(missed, fmt.Sprintf("- %s %s\n", MarkdownCode(item.Source.String()), MarkdownCode(coveredText(item))))
		}
	}
	if n := len(missed); n > 0 {
		if n > maxMissed {
			missed = append(missed[:maxMissed], fmt.Sprintf("- and %d more\n", n-maxMissed))
		}
		fmt.Fprintf(m, "\n<details>\n<summary>%d not reached</summary>\n\n%s\n</details>\n", n, strings.Join(missed, ""))
	}
	if idle := c.Undecided(); len(idle) > 0 {
		fmt.Fprintf(m, "\nBuilt-in plugins that ran and never decided anything: %s\n", MarkdownCode(strings.Join(idle, ", ")))
	}
}

// coveredText describes a part that can be reached, in a few words.
func coveredText(c outcome.Covered) string {
	text := fmt.Sprintf("%s %s", c.Part, c.Of)
	if c.What != "" {
		text += " " + c.What
	}
	if c.Branch != "" {
		text += ": " + c.Branch
	}
	return text
}

// brief returns the beginning of a text on one line.
func brief(text string) string { return words.Shorten(words.OneLine(text), 400) }

// MarkdownCode returns text on one line that stays text anywhere in Markdown, including tables and HTML. As code it
// mentions nobody and refers to no issue. Characters that begin a link or end the code are written as character
// references.
func MarkdownCode(s string) string {
	var b strings.Builder
	b.WriteString("<code>")
	runes := []rune(inert.Text(words.OneLine(s)))
	for i, r := range runes {
		behind := string(runes[i+1 : min(i+2, len(runes))])
		before := strings.ToLower(string(runes[max(i-3, 0):i]))
		switch {
		case r == '@': // a@b.example would be a link
			b.WriteString("&#64;<wbr>")
		case strings.ContainsRune("\\`*_<>~|&$\"'", r),
			r == ':' && behind == "/",                  // https://
			r == '.' && before == "www",                // www.
			r == '(' && strings.HasSuffix(before, "]"), // [text.text](link)
			r == '[' && behind == "[":                  // [[a page of a wiki]]
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString("</code>")
	return b.String()
}
