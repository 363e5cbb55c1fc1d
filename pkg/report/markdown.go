package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/suite"
)

// writeSuitesMarkdown writes what came of suites for a comment, a summary page or a wiki:
// GitHub's Markdown, what is wrong first.
func writeSuitesMarkdown(w io.Writer, r *suite.Results, o Options) error {
	m := &markdown{options: o}
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

type markdown struct {
	strings.Builder
	options Options
	left    int // what did not pass and has no place
}

// GitHub shows nothing of a summary that is longer than 1 MiB: the steps of cases are left out before
// what is wrong with them is.
const (
	roomForSteps    = 500 << 10
	roomForTroubles = 800 << 10
	mostMissed      = 500 // of what coverage lacks
)

func (m *markdown) head(r *suite.Results) {
	s := r.Summary()
	mark := "✅"
	if !s.OK() {
		mark = "❌"
	}
	fmt.Fprintf(m, "## %s %s\n\n", mark, summaryText(s))
}

// summaryText counts cases: what is wrong first, what there is none of left out.
func summaryText(s suite.Summary) string {
	var parts []string
	for _, one := range []struct {
		n    int
		what string
	}{{s.Failed, "failed"}, {s.Errored, "with errors"}, {s.Passed, "passed"}, {s.Skipped, "skipped"}} {
		if one.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", one.n, one.what))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "no cases")
	}
	if s.Problems > 0 {
		parts = append(parts, plural(s.Problems, "problem")+" of suites")
	}
	return strings.Join(parts, ", ")
}

// wrong writes the cases of a suite that are not as expected, folded up.
func (m *markdown) wrong(r suite.Result) error {
	if whole := wholeTroubles(r); len(whole) > 0 {
		m.fold(r.Name, r.Source.String(), whole, "")
	}
	for _, c := range r.Cases {
		if c.Outcome != suite.Failed && c.Outcome != suite.Errored {
			continue
		}
		steps := ""
		if m.Len() < roomForSteps {
			var err error
			if steps, err = answersText(c, m.options); err != nil {
				return err
			}
		}
		m.fold(c.FullName(), c.Source.String(), caseTroubles(c), steps)
	}
	return nil
}

func (m *markdown) fold(title, source string, all []trouble, steps string) {
	if m.Len() > roomForTroubles {
		m.left++
		return
	}
	if source != "" {
		source = " " + markdownCode(source)
	}
	fmt.Fprintf(m, "<details open>\n<summary><b>❌ %s</b>%s</summary>\n\n", markdownCode(title), source)
	for _, t := range all {
		m.fenced("diff", t.placed())
	}
	if steps != "" {
		m.WriteString("<details>\n<summary>how it came about</summary>\n\n")
		m.fenced("", steps)
		m.WriteString("</details>\n")
	}
	m.WriteString("</details>\n\n")
}

// fenced writes text as it is. The fence is longer than any in the text.
func (m *markdown) fenced(language, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(m, "%s%s\n%s\n%s\n\n", fence, language, strings.TrimRight(text, "\n"), fence)
}

func (m *markdown) suites(r *suite.Results) {
	m.WriteString("| suite | passed | failed | errors | skipped | time |\n|---|--:|--:|--:|--:|--:|\n")
	for _, one := range r.Suites {
		s := one.Summary()
		fmt.Fprintf(m, "| %s | %d | %d | %d | %d | %s |\n", markdownCode(one.Name), s.Passed, s.Failed, s.Errored+s.Problems, s.Skipped, one.Took.Round(time.Millisecond))
	}
}

func (m *markdown) coverage(c *suite.Coverage) {
	if c == nil || len(c.Items) == 0 {
		return
	}
	fmt.Fprintf(m, "\n**Coverage: %.1f %%**\n\n| reached | |\n|---|--:|\n", c.Percent())
	for _, n := range c.Counts() {
		fmt.Fprintf(m, "| %s | %d of %d |\n", n.Part, n.Reached, n.Total)
	}
	var missed []string
	for _, item := range c.Items {
		if item.Times == 0 {
			missed = append(missed, fmt.Sprintf("- %s %s\n", markdownCode(item.Source.String()), markdownCode(coveredText(item))))
		}
	}
	if n := len(missed); n > 0 {
		if n > mostMissed {
			missed = append(missed[:mostMissed], fmt.Sprintf("- and %d more\n", n-mostMissed))
		}
		fmt.Fprintf(m, "\n<details>\n<summary>%d not reached</summary>\n\n%s\n</details>\n", n, strings.Join(missed, ""))
	}
}

// coveredText is what can be reached, in a few words.
func coveredText(c suite.Covered) string {
	text := fmt.Sprintf("%s %s", c.Part, c.Of)
	if c.What != "" {
		text += " " + c.What
	}
	if c.Branch != "" {
		text += ": " + c.Branch
	}
	return text
}

// markdownCode is text on one line that stays a text anywhere in Markdown, a table and the HTML in
// it as well. As code it mentions nobody and refers to no issue; and where what begins a link or
// ends the code is written by its number, it is nothing else either.
func markdownCode(s string) string {
	var b strings.Builder
	b.WriteString("<code>")
	runes := []rune(inert.Text(oneLine(s)))
	for i, r := range runes {
		behind := string(runes[i+1 : min(i+2, len(runes))])
		before := strings.ToLower(string(runes[max(i-3, 0):i]))
		switch {
		case r == '@': // a@b.example would be a link
			b.WriteString("&#64;<wbr>")
		case strings.ContainsRune("\\`*_<>~|&$\"'", r),
			r == ':' && behind == "/",                  // https://
			r == '.' && before == "www",                // www.
			r == '(' && strings.HasSuffix(before, "]"), // [text](link)
			r == '[' && behind == "[":                  // [[a page of a wiki]]
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString("</code>")
	return b.String()
}
