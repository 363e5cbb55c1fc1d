package pages

import (
	"maps"
	"slices"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/words"
)

// rich writes the answer to a request, and everything that led to it.
func (v *resultView) rich(w *markup.Writer) {
	v.verdict(w)
	w.PutAny(`<p class="hint">{}</p>`, v.Hint)
	for _, warning := range v.Warnings {
		w.Put(`<p class="warning">{}</p>`, warning)
	}
	v.facts(w)
	w.PutAny(`<p class="dim about">{}</p>`, v.Repeated)
	for _, c := range v.Chains {
		c.rich(w)
	}
	if n := len(v.AuditAnnotations); n > 0 {
		w.Put(`<details class="aside"><summary>Audit annotations <span class="n">{}</span></summary><dl class="facts wide">`, number(n))
		for _, key := range slices.Sorted(maps.Keys(v.AuditAnnotations)) {
			w.Put(`<div><dt>{}</dt><dd>{}</dd></div>`, key, v.AuditAnnotations[key])
		}
		w.Put(`</dl></details>`)
	}
	if len(v.Response) > 0 {
		w.Put(`<details class="aside"><summary>The answer</summary><pre class="object">`)
		for _, line := range v.Response {
			w.Put("{}\n", line)
		}
		w.Put(`</pre></details>`)
	}
	w.PutAny(`<pre class="object">{}</pre>`, v.Text)
}

func (v *resultView) verdict(w *markup.Writer) {
	if v.Allowed {
		w.Put(`<div class="say good"><p><strong>Admitted</strong> <span class="dim">{}</span></p>`, v.HTTP)
		v.otherwise(w)
		w.Put(`</div>`)
		return
	}
	w.Put(`<div class="say bad"><p><strong>Denied by {}</strong> <span class="dim">{}`, v.DeniedBy.String(), v.HTTP)
	w.PutAny(` · <code>{}</code>`, v.DeniedBy.Source)
	w.Put(`</span></p>`)
	w.PutAny(`<blockquote>{}</blockquote>`, v.Message)
	v.otherwise(w)
	w.Put(`</div>`)
}

// otherwise writes the other possible answers.
func (v *resultView) otherwise(w *markup.Writer) {
	if v.Undetermined == "" {
		return
	}
	w.Put(`<p class="dim">Undetermined: {}.`, v.Undetermined)
	w.PutIf(len(v.Alternatives) > 0, ` It may also be:`)
	w.Put(`</p>`)
	for _, a := range v.Alternatives {
		if a.Status != nil {
			w.Put(`<p><span class="dim">{} by {}</span></p><blockquote>{}</blockquote>`, answerText(a.Code), a.DeniedBy.String(), a.Status.Message)
		} else {
			w.Put(`<p class="dim">{}</p>`, words.InsteadOf(a, v.Result))
			changesOf(changeViews(a.Changes), "", w)
		}
		for _, d := range words.Otherwise(a, v.Result) {
			w.Put(`<p class="dim">{} {}</p>`, d.Label, d.Text)
		}
	}
}

// facts writes facts about the request.
func (v *resultView) facts(w *markup.Writer) {
	r := &v.Request
	w.Put("\n"+`<dl class="facts"><div><dt>request</dt><dd>{}</dd></div>`, v.Title)
	w.PutAny(`<div><dt>named</dt><dd>{}</dd></div>`, r.Label)
	w.PutAny(`<div><dt>user</dt><dd>{}</dd></div>`, r.User.Username)
	if len(r.User.Groups) > 0 {
		w.Put(`<div><dt>groups</dt><dd>`)
		for i, group := range r.User.Groups {
			w.PutIf(i > 0, `, `)
			w.Text(group)
		}
		w.Put(`</dd></div>`)
	}
	w.PutAny(`<div><dt>from</dt><dd><code>{}</code></dd></div>`, r.Source)
	w.Put(`</dl>`)
}
