package pages

import (
	"strings"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/trace"
)

// The methods plain are for pages that are too long to be as rich without scripts as with them. They write the same as
// text, without what takes much room.

func (v *resultView) plain(w *markup.Writer) {
	w.Put(`<pre class="plain">`)
	v.words(w)
	w.Put(`</pre>`)
}

func (v *resultView) words(w *markup.Writer) {
	if v.Allowed {
		w.Put("Admitted, {}\n", v.HTTP)
	} else {
		w.Put("Denied by {}, {}\n", v.DeniedBy.String(), v.HTTP)
	}
	w.PutAny("  {}\n", v.Message)
	for line := range strings.Lines(v.Hint) {
		w.Put("  hint: {}\n", strings.TrimRight(line, "\n"))
	}
	if v.Undetermined != "" {
		w.Put("  undetermined: {}\n", v.Undetermined)
		for _, a := range v.Alternatives {
			if a.Status != nil {
				w.Put("    or {} by {}: {}\n", answerText(a.Code), a.DeniedBy.String(), a.Status.Message)
			} else {
				w.Put("    or {}\n", words.InsteadOf(a, v.Result))
				for _, c := range changeViews(a.Changes) {
					w.Put("      {}\n", c.Short())
				}
			}
			for _, d := range words.Otherwise(a, v.Result) {
				w.Put("      {} {}\n", d.Label, d.Text)
			}
		}
	}
	for _, warning := range v.Warnings {
		w.Put("  warning: {}\n", warning)
	}
	for i := range v.Chains {
		v.Chains[i].words(w)
	}
}

func (c *chainView) words(w *markup.Writer) {
	w.PutAny("{}\n", c.Title)
	for i := range c.Phases {
		p := &c.Phases[i]
		w.Put("{}\n", p.Name)
		for j := range p.Steps {
			p.Steps[j].words(w, "  ")
			for k := range p.Steps[j].Hooks {
				if h := &p.Steps[j].Hooks[k]; h.Outcome != string(trace.Skipped) {
					h.words(w, "    ")
				}
			}
		}
		w.PutAny("  {}\n", p.Quiet)
	}
}

func (s *stepView) words(w *markup.Writer, indent string) {
	w.Put("{}{} {}", indent, s.Name, s.Outcome)
	w.PutAny(" {}", s.Took)
	w.PutAny(": {}", s.Because)
	w.Put("\n")
	s.details(w)
}

// details writes what a step said, and what it changed.
func (s *stepView) details(w *markup.Writer) {
	w.PutAny("      {}\n", s.Message)
	for _, c := range s.Changes {
		w.Put("      {}\n", c.Short())
	}
}

func (v *caseView) plain(w *markup.Writer) {
	w.Put(`<pre class="plain">`)
	for i := range v.Troubles {
		t := &v.Troubles[i]
		w.Put("{} {}\n", t.Path, t.At)
		w.PutAny("  {}\n", t.Text)
		if t.Want != "" || t.Got != "" {
			w.Put("  want {}\n  got  {}\n", t.Want, t.Got)
		}
		for _, line := range t.Diff {
			w.Put("  {}\n", line.Text)
		}
	}
	for _, a := range v.Answers {
		w.PutAny("{}\n", a.Label)
		a.words(w)
	}
	w.Put(`</pre>`)
}

func (v *requestView) plain(w *markup.Writer) {
	w.Put(`<pre class="plain">`)
	if v.At != "" {
		w.Put("{} {}\n", v.At.Base(), v.From)
	}
	for _, about := range v.About {
		w.Put("{}\n", about)
	}
	for _, one := range v.Verdicts {
		w.Put("{}: {}, {}\n", one.Label, one.Words, one.Answer)
		w.PutAny("  {}\n", one.Message)
	}
	for _, s := range v.Samples {
		w.Put("{} {}\n  {} {}\n  {} {}\n", s.Title, s.About, s.Was.Label, s.Was.Text, s.Is.Label, s.Is.Text)
	}
	if v.Beside != nil {
		v.Beside.words(w)
	}
	w.Put(`</pre>`)
}

func (v *besideView) words(w *markup.Writer) {
	for _, g := range v.Groups {
		w.Put("{}\n", g.Name)
		for i := range g.Lines {
			l := &g.Lines[i]
			w.Put("  {}\n    {}: ", l.Name, l.Left.Label)
			l.Left.words(w)
			w.Put("    {}: ", l.Right.Label)
			l.Right.words(w)
		}
		w.PutAny("  the same in both: {}\n", g.Same)
	}
}

func (c *besideCell) words(w *markup.Writer) {
	if c.Did == nil {
		w.Put("{}\n", c.None)
		return
	}
	w.Text(c.Did.Outcome)
	w.PutAny(": {}", c.Did.Because)
	w.Put("\n")
	c.Did.details(w)
}
