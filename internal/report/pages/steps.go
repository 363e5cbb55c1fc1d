package pages

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

// rich writes one run of the chain: how long it took, its steps, and the resulting object.
func (c *chainView) rich(w *markup.Writer) {
	w.Begin()
	c.head(w)
	if c.Time != nil {
		w.Begin()
		c.Time.rich(w)
		w.End()
	}
	c.steps(w)
	w.Put(`</section>`)
	w.End()
	c.object(w)
}

func (c *chainView) head(w *markup.Writer) {
	w.Put(`<section class="chain"><h3>{}</h3>`, cmp.Or(c.Title, "The chain"))
}

func (c *chainView) object(w *markup.Writer) {
	if c.Object != nil && len(c.Object.Versions) > 0 {
		c.Object.rich(w)
	}
}

func (c *chainView) steps(w *markup.Writer) {
	for i := range c.Phases {
		w.Begin()
		c.Phases[i].rich(w)
		w.End()
	}
}

func (p *phaseView) rich(w *markup.Writer) {
	w.Put(`<div class="phase"><h4>{}</h4>`, p.Name)
	for i := range p.Steps {
		s := &p.Steps[i]
		s.rich(w)
		s.hooks(w)
	}
	w.PutAny(`<p class="rest">{}</p>`, p.Quiet)
	if n := len(p.Silent); n > 0 {
		w.Put(`<details class="quiet"><summary>{} more had nothing to say</summary><ul>`, number(n))
		for _, s := range p.Silent {
			w.Put(`<li><b>{}</b> {}`, s.Plugin, s.Outcome)
			w.PutAny(`: {}`, s.Because)
			w.Put(`</li>`)
		}
		w.Put(`</ul></details>`)
	}
	w.Put(`</div>`)
}

// hooks writes the webhooks or policies of a step.
func (s *stepView) hooks(w *markup.Writer) {
	if len(s.Hooks) > 0 {
		w.Put(`<div class="hooks`)
		w.PutIf(s.Aside != "", ` parallel`)
		w.Put(`">`)
		for i := range s.Hooks {
			s.Hooks[i].rich(w)
		}
		w.Put(`</div>`)
	}
	if n := len(s.Skipped); n > 0 {
		w.Put(`<details class="quiet"><summary>{} skipped</summary><ul>`, number(n))
		for _, h := range s.Skipped {
			w.Put(`<li><b>{}`, h.Configuration)
			w.PutAny(`/{}`, h.Name)
			w.Put(`</b> {}</li>`, h.Because)
		}
		w.Put(`</ul></details>`)
	}
}

// rich writes the line of a step, which can be expanded if there is more to it.
func (s *stepView) rich(w *markup.Writer) {
	w.Begin()
	if s.Body() {
		w.Put(`<details class="more"`)
		w.PutIf(s.Open(), ` open`)
		w.Put(`><summary class="step">`)
		s.line(w)
		w.Put(`</summary><div class="inside">`)
		s.inside(w)
		w.Put("\n" + `</div></details>`)
	} else {
		w.Put(`<div class="step">`)
		s.line(w)
		w.Put(`</div>`)
	}
	w.End()
}

func (s *stepView) line(w *markup.Writer) {
	w.Put(`<span class="who">{}</span><span class="o t-{}">{}</span><span class="why">{}`, s.Name, s.Outcome, s.Outcome, s.Because)
	w.PutAny(` <code>{}</code>`, s.Source)
	w.Put(`</span><span class="took">{}</span>`, s.Took)
}

func (s *stepView) inside(w *markup.Writer) {
	w.PutAny(`<blockquote>{}</blockquote>`, s.Message)
	w.PutAny(`<p class="hint">{}</p>`, s.Hint)
	for _, warning := range s.Warnings {
		w.Put(`<p class="warning">{}</p>`, warning)
	}
	s.changes(w)
	for _, one := range s.Writes {
		w.Put(`<p class="dim">writes {}</p>`, one)
	}
	if s.Hook != nil {
		s.hook(w)
	}
	if len(s.Annotations) > 0 {
		w.Put(`<p class="dim"><b>audit</b> `)
		for _, a := range s.Annotations {
			w.Put(`{}={} `, a.Key, a.Value)
		}
		w.Put(`</p>`)
	}
}

func (s *stepView) changes(w *markup.Writer) {
	changesOf(s.Changes, s.Account, w)
}

// changesOf writes a list of changes; account lists metadata fields that only the server sets.
func changesOf(changes []changeView, account string, w *markup.Writer) {
	if len(changes) == 0 && account == "" {
		return
	}
	w.Put(`<ul class="changes">`)
	for i := range changes {
		c := &changes[i]
		w.Put(`<li class="c-{}"><code class="path">{}</code> `, c.Op, c.Path)
		w.PutAny(`<del>{}</del>`, c.Old)
		w.PutIf(c.Old != "" && c.New != "", ` `)
		w.PutAny(`<ins>{}</ins>`, c.New)
		w.Put(`</li>`)
	}
	w.PutAny(`<li class="dim">sets metadata.{}</li>`, account)
	w.Put(`</ul>`)
}

// hook writes what only a webhook or policy has: why it applies, what it was asked and what it said.
func (s *stepView) hook(w *markup.Writer) {
	h := s.Hook
	w.PutAny(`<p class="dim"><b>matched</b> {}</p>`, h.Matched)
	w.PutAny(`<p class="dim"><b>params</b> {}</p>`, h.Param)
	if len(h.Calls) > 0 {
		w.Put(`<ul class="calls">`)
		for i := range h.Calls {
			callRich(&h.Calls[i], w)
		}
		w.Put(`</ul>`)
	}
	if len(h.Expressions) > 0 {
		w.Put(`<div class="scroll"><table class="expressions">`)
		for i := range h.Expressions {
			expressionRich(&h.Expressions[i], w)
		}
		w.Put(`</table></div>`)
	}
	if s.Verbose {
		sent(w, "the patch as sent", string(h.Patch))
	}
}

func callRich(c *report.Call, w *markup.Writer) {
	w.Put(`<li><code>{}</code> `, c.URL)
	if c.Error != "" {
		w.Put(`<span class="t-failed">{}</span>`, c.Error)
	} else if c.Status != 0 {
		w.Put(`HTTP {}`, number(c.Status))
	}
	w.Put(` <span class="dim">{}</span>`, words.Briefly(c.Duration.Duration))
	w.PutAny(` <span class="t-changed">assumed: {}</span>`, c.Assumed)
	sent(w, "the review sent", string(c.Review))
	sent(w, "the reply", c.Reply)
	w.Put(`</li>`)
}

// sent writes what was sent or received, if anything.
func sent(w *markup.Writer, what, text string) {
	if text != "" {
		w.Put(`<details class="quiet"><summary>{}</summary><pre class="object sent">{}</pre></details>`, what, onLines(text))
	}
}

func expressionRich(e *report.Expression, w *markup.Writer) {
	what, name := document.HeadOf(*e)
	w.Put(`<tr><th scope="row">{}`, what)
	w.PutAny(` <i>{}</i>`, name)
	w.Put(`</th><td><code>{}</code></td><td>`, e.Expression)
	if e.Error != "" {
		w.Put(`<span class="t-failed">{}</span>`, e.Error)
	} else {
		w.Put(`<b>{}</b>`, string(e.Value))
		w.PutAny(` {}`, e.Message)
	}
	w.Put(`</td></tr>`)
}

// onLines returns JSON, indented; other text is returned as it is.
func onLines(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}
