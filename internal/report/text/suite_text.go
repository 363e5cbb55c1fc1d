package text

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// suitesText is for people: first what did not pass, with what was expected and what happened; then one line per suite;
// then a summary. With Verbose, the steps that led to what happened are shown, too.
type suitesText struct {
	*page
	options document.Options
}

func WriteSuites(w io.Writer, r *outcome.Results, o document.Options) error {
	t := &suitesText{page: newPage(o), options: o}
	wrong := false
	for _, s := range r.Suites {
		for _, c := range s.Cases {
			if c.Outcome == outcome.Failed || c.Outcome == outcome.Errored {
				if err := t.wrong(c); err != nil {
					return err
				}
				wrong = wrong || len(c.Answers) > 0
			}
		}
	}
	for _, s := range r.Suites {
		if err := t.suite(s); err != nil {
			return err
		}
	}
	if o.Coverage {
		t.coverage(r.Coverage)
	}
	t.sum(r)
	if wrong && !o.Verbose {
		t.line(0, t.paint(t.faint, "-v shows all steps of each case"))
	}
	_, err := io.WriteString(inert.NewWriter(w), t.String())
	return err
}

const outcomeWidth = 6

// wrong writes a case that did not pass.
func (t *suitesText) wrong(c outcome.Case) error {
	word := "FAIL"
	if c.Outcome == outcome.Errored {
		word = "ERROR"
	}
	t.line(0, t.paint(t.bad, padded(word, outcomeWidth))+t.paint(t.bold, c.FullName())+t.paint(t.faint, t.times(c)+"  "+c.Source.String()))
	for _, one := range outcome.CaseTroubles(c) {
		t.trouble(one)
	}
	if err := t.answers(c); err != nil {
		return err
	}
	t.line(0, "")
	return nil
}

func (t *suitesText) trouble(one outcome.Trouble) {
	rows := strings.Split(strings.TrimRight(one.Text, "\n"), "\n")
	t.paragraph(2, "", rows[0])
	for _, row := range rows[1:] {
		t.line(2, row)
	}
	if one.At.File != "" {
		t.line(4, t.paint(t.faint, one.At.String()))
	}
	for _, row := range strings.Split(strings.TrimRight(one.Detail, "\n"), "\n") {
		colour := t.faint
		switch {
		case strings.HasPrefix(row, "-"):
			colour = t.bad
		case strings.HasPrefix(row, "+"):
			colour = t.good
		}
		if row != "" {
			t.line(4, t.paint(colour, row))
		}
	}
	t.hint(4, one.Hint)
}

// times returns how long a case took, if known.
func (t *suitesText) times(c outcome.Case) string {
	var parts []string
	if c.Took > 0 {
		parts = append(parts, words.Briefly(c.Took))
	}
	if c.Elapsed > 0 {
		parts = append(parts, words.Briefly(c.Elapsed)+" virtual")
	}
	if parts == nil {
		return ""
	}
	return "  (" + strings.Join(parts, ", ") + ")"
}

// answers writes what each request of a case came to, and who was asked about it or, with Verbose, all steps.
func (t *suitesText) answers(c outcome.Case) error {
	for _, a := range c.Answers {
		r, err := a.Show()
		if err != nil {
			return fmt.Errorf("case %s: %w", c.FullName(), err)
		}
		p := newPage(t.options)
		if a.Label != "" {
			p.line(0, p.paint(p.faint, "# "+a.Label))
		}
		p.verdict(r.Result)
		steps := &stepsText{page: p, verbose: t.options.Verbose}
		if t.options.Verbose {
			for _, admission := range r.Admissions {
				steps.write(admission.Steps)
			}
		} else {
			steps.asked(r.Admissions)
		}
		p.messages(r.Result, t.options.Verbose)
		if !r.Allowed {
			p.answer(r.Result)
		}
		t.line(0, "")
		for row := range strings.Lines(p.String()) {
			t.line(2, strings.TrimRight(row, "\n"))
		}
	}
	return nil
}

// asked writes which webhooks and policies were asked, with how that ended, and why some refused or could not be asked.
func (t *stepsText) asked(admissions []report.Admission) {
	var all []string
	var hooks []report.Hook
	for _, a := range admissions {
		for _, s := range a.Steps {
			for _, h := range s.Hooks {
				one := words.HookName(h) + " " + h.Outcome
				if h.Outcome != string(trace.Skipped) && !slices.Contains(all, one) {
					all, hooks = append(all, one), append(hooks, h)
				}
			}
		}
	}
	if len(all) > 0 {
		t.listed(t.paint(t.faint, "  asked: "), 9, t.faint, all)
	}
	for _, h := range hooks {
		switch trace.Outcome(h.Outcome) {
		case trace.Failed, trace.FailedOpen:
			t.paragraph(stepIndent, "", words.HookName(h)+": "+h.Because)
		case trace.Denied:
			t.expressions(h)
		}
	}
}

// suite writes a line about a suite; with Verbose, also a line about each of its cases before it.
func (t *suitesText) suite(s outcome.Suite) error {
	n := s.Summary()
	for _, c := range s.Cases {
		switch {
		case t.options.FailOnly:
		case c.Outcome == outcome.Skipped:
			t.line(0, t.paint(t.faint, padded("skip", outcomeWidth)+c.FullName()+"  "+c.Skip))
		case c.Outcome == outcome.Passed && (t.options.Verbose || len(c.Updated) > 0):
			t.line(0, t.paint(t.good, padded("ok", outcomeWidth))+c.FullName()+t.paint(t.faint, t.times(c)+"  "+c.Source.String()))
			for _, file := range c.Updated {
				t.line(2, t.paint(t.changed, "wrote "+file))
			}
			if t.options.Verbose {
				if err := t.answers(c); err != nil {
					return err
				}
				t.line(0, "")
			}
		}
	}
	place := "  " + s.Source.String()
	if s.Source.String() == s.Name {
		place = "" // a file that could not be read has this name already
	}
	whole := outcome.WholeTroubles(s)
	if t.options.Told {
		whole = nil
	}
	for _, one := range whole {
		t.line(0, t.paint(t.bad, padded("ERROR", outcomeWidth))+t.paint(t.bold, s.Name)+t.paint(t.faint, place))
		t.trouble(one)
		t.line(0, "")
	}
	took := ""
	if s.Took > 0 {
		took = "  " + words.Briefly(s.Took)
	}
	switch {
	case n.OK() && t.options.FailOnly:
	case n.OK():
		t.line(0, t.paint(t.good, padded("ok", outcomeWidth))+s.Name+"  "+words.Plural(n.Cases(), "case")+t.paint(t.faint, took+place))
	case s.Err != nil:
		t.line(0, t.paint(t.bad, padded("ERROR", outcomeWidth))+s.Name+"  could not be run"+t.paint(t.faint, place))
	default:
		t.line(0, t.paint(t.bad, padded("FAIL", outcomeWidth))+s.Name+"  "+countsText(n)+t.paint(t.faint, took+place))
	}
	return nil
}

// sum writes the last line.
func (t *suitesText) sum(r *outcome.Results) {
	text := countsText(r.Summary())
	if r.Coverage != nil && len(r.Coverage.Items) > 0 {
		var parts []string
		for _, n := range r.Coverage.Counts() {
			parts = append(parts, fmt.Sprintf("%d/%d %s", n.Reached, n.Total, partText(n.Part)))
		}
		text += " · coverage: " + strings.Join(parts, ", ")
	}
	t.line(0, "")
	t.paragraph(0, "", text)
}

func countsText(s outcome.Summary) string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(s.Failed, "failed")
	if s.Errored > 0 {
		parts = append(parts, words.Plural(s.Errored, "error"))
	}
	add(s.Passed, "passed")
	add(s.Skipped, "skipped")
	if s.Problems > 0 {
		parts = append(parts, words.Plural(s.Problems, "problem"))
	}
	if parts == nil {
		return "no cases"
	}
	return strings.Join(parts, ", ")
}

// partText returns the plural name of a kind of part.
func partText(p outcome.Part) string {
	switch p {
	case outcome.SelectorPart:
		return "selector branches"
	case outcome.ConditionPart:
		return "match condition branches"
	case outcome.PolicyPart:
		return "policies"
	case outcome.MessagePart:
		return "message expressions"
	case outcome.AnnotationPart:
		return "audit annotations"
	case outcome.ValidationPart:
		return "validation branches"
	case outcome.FailurePolicyPart:
		return "failure policies"
	}
	return string(p) + "s"
}

// coverage writes a table of everything that could be reached.
func (t *suitesText) coverage(c *outcome.Coverage) {
	if c == nil || len(c.Items) == 0 {
		return
	}
	t.line(0, "")
	t.line(0, t.paint(t.bold, "coverage: "+c.PercentText()))
	const names, least = 9, 40 // the column of names, and their least width
	widest, source := 0, 0
	rows := make([]string, len(c.Items))
	for i, item := range c.Items {
		rows[i] = fmt.Sprintf("%-17s  %s", item.Part, words.OneLine(item.Of+" "+item.What+" "+item.Branch))
		widest, source = max(widest, words.Columns(rows[i])), max(source, words.Columns(item.Source.String()))
	}
	widest = max(min(widest, t.room(names)-2-source), least)
	for i, item := range c.Items {
		times, colour := fmt.Sprintf("%5d", item.Times), t.good
		if item.Times == 0 {
			times, colour = "    -", t.bad
		}
		parts := fill(strings.Split(rows[i], " "), widest)
		t.line(2, t.paint(colour, times)+"  "+padded(parts[0], widest)+"  "+t.paint(t.faint, item.Source.String()))
		for _, part := range parts[1:] {
			t.line(names+2, part)
		}
	}
	if idle := c.Undecided(); len(idle) > 0 {
		t.line(0, "")
		t.paragraph(2, "", "built-in plugins that ran and never decided anything: "+strings.Join(idle, ", "))
	}
}
