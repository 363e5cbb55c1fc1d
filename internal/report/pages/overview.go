package pages

import (
	"strings"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/words"
)

// overview writes what is above the rows of a page with several rows: charts, and what each webhook and policy did.
func (v *pageView) overview(w *markup.Writer) {
	w.Put(`<section class="overview" aria-label="Overview">` + "\n")
	switch {
	case len(v.Stacks) > 0:
		v.stacks(w)
	case len(v.Shares) > 0:
		richShares(w, v.Shares)
	}
	w.Put("\n")
	if len(v.Deniers) > 0 {
		richDeniers(w, v.Deniers)
	}
	w.Put("\n")
	if v.Histogram != nil {
		v.Histogram.rich(w)
	}
	w.Put("\n</section>\n")
	if len(v.Hooks) > 0 {
		richHooks(w, v.Hooks)
	}
	w.Put("\n")
}

func (v *pageView) stacks(w *markup.Writer) {
	w.Put(`<figure class="wide"><figcaption>{}</figcaption>`+"\n"+`<table class="bars stacks">`, v.Stacked)
	for _, s := range v.Stacks {
		w.Put(`<tr><th scope="row" title="{}">{}</th><td>`, s.Name, s.Name)
		richStack(w, "12", s.Parts, func(part share) bool { return part.N > 0 })
		w.Put(`</td><td class="n">{}</td></tr>`, s.N)
	}
	w.Put("</table>\n")
	if len(v.Legend) > 0 {
		w.Put(`<ul class="legend">`)
		for _, l := range v.Legend {
			w.Put(`<li><span class="dot b-{}"></span>{}</li>`, l.Class, l.Name)
		}
		w.Put(`</ul>`)
	}
	w.Put("\n</figure>")
}

func richShares(w *markup.Writer, shares []share) {
	w.Put("<figure><figcaption>Outcomes</figcaption>\n")
	richStack(w, "14", shares, func(share) bool { return true })
	w.Put("\n" + `<ul class="legend">`)
	for _, s := range shares {
		w.Put(`<li><span class="dot b-{}"></span><b>{}</b> {}</li>`, s.Class, number(s.N), s.Name)
	}
	w.Put("</ul>\n</figure>")
}

// richStack writes a bar of parts, of which some are drawn.
func richStack(w *markup.Writer, height string, parts []share, drawn func(share) bool) {
	w.Put(`<svg class="stack" role="img" aria-label="`)
	for _, s := range parts {
		w.Put(`{} {} `, number(s.N), s.Name)
	}
	w.Put(`" height="{}">`, height)
	for _, s := range parts {
		if drawn(s) {
			w.Put(`<rect class="f-{}" x="{}" width="{}" height="{}"/>`, s.Class, s.X, s.Width, height)
		}
	}
	w.Put(`</svg>`)
}

func richDeniers(w *markup.Writer, deniers []share) {
	w.Put("<figure><figcaption>Denied by</figcaption>\n" + `<table class="bars">`)
	for _, d := range deniers {
		w.Put(`<tr><th scope="row" title="{}">{}</th><td><svg aria-hidden="true" height="10"><rect class="f-denied" width="{}" height="10" rx="2"/></svg></td><td class="n">{}</td></tr>`,
			d.Name, d.Name, d.Width, number(d.N))
	}
	w.Put("</table>\n</figure>")
}

func (h *histogram) rich(w *markup.Writer) {
	w.Put(`<figure class="latency"><figcaption>How long admission took, up to</figcaption>` + "\n")
	if len(h.Columns) > 1 {
		w.Put(`<svg class="histogram" role="img" aria-label="`)
		for _, c := range h.Columns {
			if c.N > 0 {
				w.Put(`{} up to {}, `, number(c.N), c.Text)
			}
		}
		w.Put(`" height="130">`)
		for i := range h.Columns {
			h.Columns[i].rich(w)
		}
		w.Put(`<line x1="0" x2="100%" y1="110" y2="110"/></svg>`)
	}
	w.Put("\n"+`<p class="quantiles"><span>median <b>{}</b></span> <span>p95 <b>{}</b></span> <span>p99 <b>{}</b></span> <span>longest <b>{}</b></span></p>`+"\n</figure>", h.Median, h.P95, h.P99, h.Most)
}

func (c *column) rich(w *markup.Writer) {
	w.Put(`<rect class="f-plain" x="{}" y="{}" width="{}" height="{}"><title>{} up to {}</title></rect>`, c.X, c.Y, c.Width, c.Height, number(c.N), c.Text)
	if c.N > 0 {
		w.Put(`<text class="count" x="{}" y="{}" text-anchor="middle">{}</text>`, c.Middle, c.Top, c.Count)
	}
	if c.Edge != "" {
		w.Put(`<text x="{}" y="126" text-anchor="middle">{}</text>`, c.Edge, c.Text)
	}
}

func richHooks(w *markup.Writer, hooks []hookTally) {
	w.Put(`<details class="panel"><summary>Webhooks and policies <span class="n">{}</span></summary>
<div class="scroll"><table class="grid"><thead><tr><th scope="col">name</th><th scope="col">asked</th><th scope="col">changed</th><th scope="col">denied</th>`+
		`<th scope="col">failed</th><th scope="col">failed open</th><th scope="col">median</th><th scope="col">p95</th><th scope="col">longest</th></tr></thead>
<tbody>`, number(len(hooks)))
	for _, h := range hooks {
		w.Put(`<tr><th scope="row">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>`+"\n",
			h.Name, number(h.Asked), orBlank(h.Changed), orBlank(h.Denied), orBlank(h.Failed), orBlank(h.Fallback), words.Took(h.Median), words.Took(h.P95), words.Took(h.Most))
	}
	w.Put(`</tbody></table></div></details>`)
}

func orBlank(n int) string {
	if n == 0 {
		return ""
	}
	return number(n)
}

// tables writes the coverage and panels.
func (v *pageView) tables(w *markup.Writer) {
	if v.Coverage != nil {
		v.Coverage.rich(w)
	}
	w.Put("\n")
	if len(v.Panels) > 0 {
		w.Put(`<div class="panels">`)
		for i := range v.Panels {
			v.Panels[i].rich(w)
		}
		w.Put(`</div>`)
	}
}

func (v *coverageView) rich(w *markup.Writer) {
	w.Put(`<details class="panel" id="coverage"><summary>Coverage <span class="n">{}</span></summary>
<div class="columns"><table class="grid"><thead><tr><th scope="col">part</th><th scope="col">reached</th><th scope="col">of</th></tr></thead><tbody>`, v.Percent)
	for _, c := range v.Counts {
		w.Put(`<tr><th scope="row">{}</th><td>{}</td><td>{}</td></tr>`, string(c.Part), number(c.Reached), number(c.Total))
	}
	w.Put("</tbody></table>\n")
	if len(v.Missed) > 0 {
		w.Put(`<div><h2>Not reached</h2><ul class="missed">`)
		for _, m := range v.Missed {
			w.Put(`<li>{} <b>{}</b>`, string(m.Part), m.Of)
			w.PutAny(` {}`, m.What)
			w.PutAny(`: {}`, m.Branch)
			w.Put(` <code>{}</code></li>`, m.Source.String())
		}
		w.Put(`</ul></div>`)
	}
	w.Put(`</div>`)
	if len(v.Idle) > 0 {
		w.Put(`<p>Built-in plugins that ran and never decided anything: {}</p>`, strings.Join(v.Idle, ", "))
	}
	w.Put(`</details>`)
}

func (p *panelView) rich(w *markup.Writer) {
	w.Put(`<details class="panel"`)
	w.PutIf(p.Open, ` open`)
	w.Put(`><summary>{} <span class="n">{}</span></summary>`+"\n"+`<div class="scroll"><table class="grid`, p.Title, number(p.Count))
	w.PutIf(p.Words, ` words`)
	w.Put(`"><thead><tr>`)
	for _, head := range p.Heads {
		w.Put(`<th scope="col">{}</th>`, head)
	}
	w.Put("</tr></thead>\n<tbody>")
	for _, row := range p.Rows {
		w.Put(`<tr>`)
		for i, cell := range row {
			switch {
			case i == 0 && p.Places:
				w.Put(`<th scope="row">`)
				placeView(cell).rich(w)
				w.Put(`</th>`)
			case i == 0:
				w.Put(`<th scope="row">{}</th>`, cell)
			default:
				w.Put(`<td>{}</td>`, cell)
			}
		}
		w.Put("</tr>\n")
	}
	w.Put("</tbody></table></div></details>\n")
}
