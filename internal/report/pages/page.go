package pages

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"slices"

	"github.com/admsim/admsim/internal/markup"
)

//go:embed html/page.css html/page.js
var pageFiles embed.FS

func pageStyle() markup.Source { return markup.Embedded(pageFiles, "html/page.css") }

func pageScript() markup.Source { return markup.Embedded(pageFiles, "html/page.js") }

// A pageView is everything around the rows.
type pageView struct {
	Command, Noun string
	Groups        string // see htmlPage
	Good, Mixed   bool   // if neither: bad
	Verdict       string
	Sub           string
	All           string // see htmlPage
	Rows          []rowView
	Shares        []share // of requests
	Stacked       string  // if there are no shares: what stacks are about
	Stacks        []stackView
	Legend        []share // of stacks
	Empty         string  // text if there are no rows
	Wide          bool    // outcomes have long names
	Sentences     bool    // see htmlPage
	Chips         []share // of rows
	Panels        []panelView
	Deniers       []share
	Histogram     *histogram
	Hooks         []hookTally
	Coverage      *coverageView
	Single        bool
}

// write writes the page.
func (p *htmlPage) write(out io.Writer, v pageView) error {
	rows := slices.Concat(p.first, p.further)
	v.Command, v.Noun, v.Groups, v.Sentences = p.command, p.noun, p.groups, p.sentences
	if slices.ContainsFunc(rows, func(r rowView) bool { return r.By != "" }) {
		v.All = cmp.Or(p.all, "whoever denied")
	}
	if v.Single = len(rows) == 1 && v.Panels == nil && v.Stacked == "" && p.tally.outcomes == nil; v.Single {
		rows[0].Open = true
	} else {
		p.openFirst(rows)
	}
	for i := range rows {
		rows[i].Begins = rows[i].Section != "" && (i == 0 || rows[i].Section != rows[i-1].Section)
		rows[i].Later = i >= rowsAtFirst
	}
	v.Rows = rows
	v.Chips = p.chips.shares(p.order...)
	v.Wide = slices.ContainsFunc(v.Chips, func(c share) bool { return len(c.Name) > 8 })
	v.Empty = cmp.Or(v.Empty, "There is no "+p.noun+".")
	if v.Shares = p.tally.shares(p.order...); v.Shares == nil {
		v.Shares = v.Chips
	}
	v.Deniers, v.Histogram, v.Hooks = p.tally.denierBars(), p.tally.histogram(), p.tally.hookRows()
	w := markup.NewWriter(out)
	if err := v.rich(w, &p.parts); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	return nil
}

func (v *pageView) rich(w *markup.Writer, parts *markup.Parts) error {
	style, script := pageStyle(), pageScript()
	v.head(w, style, script)
	v.top(w)
	if !v.Single {
		v.overview(w)
	}
	v.tables(w)
	if len(v.Rows) > 0 && !v.Single {
		v.tools(w)
	}
	w.Put("\n<main>\n" + `<p class="none" id="none" hidden>Nothing fits. <button type="button" id="clear">Show all</button></p>` + "\n")
	if len(v.Rows) == 0 {
		w.Put(`<p class="none">{}</p>`, v.Empty)
	}
	now := v.Rows[:min(len(v.Rows), rowsAtFirst)]
	v.rows(w, now)
	w.Put("\n")
	if err := w.Data("lines", linesOf(v.Rows)); err != nil {
		return err
	}
	w.Put("\n")
	w.Script(script)
	w.Put("\n")
	if err := w.Parts("parts", parts); err != nil {
		return err
	}
	w.Put("\n")
	v.later(w, v.Rows[len(now):])
	w.Put("\n</main>\n")
	v.foot(w)
	return nil
}

func (v *pageView) head(w *markup.Writer, style, script markup.Source) {
	w.Put(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{} · admsim`, style.Hash(), script.Hash(), v.Verdict)
	w.PutAny(` {}`, v.Command)
	w.Put("</title>\n")
	w.Style(style)
	w.Put("\n</head>\n" + `<body class="`)
	w.PutIf(v.Single, `single`)
	w.Put(`">` + "\n")
}

// top writes the result in one line.
func (v *pageView) top(w *markup.Writer) {
	class := "bad"
	switch {
	case v.Good:
		class = "good"
	case v.Mixed:
		class = "mixed"
	}
	w.Put(`<header class="top {}">`+"\n"+`<p class="brand">admsim`, class)
	w.PutAny(` {}`, v.Command)
	w.Put("</p>\n<h1>{}</h1>\n", v.Verdict)
	w.PutAny(`<p class="sub">{}</p>`, v.Sub)
	w.Put("\n</header>\n")
}

// tools writes the controls that find rows.
func (v *pageView) tools(w *markup.Writer) {
	w.Put(`<div class="tools" id="tools" hidden>
<input type="search" id="search" placeholder="Search names, reasons, objects" aria-label="Search" autocomplete="off" spellcheck="false">
<div class="chips" role="group" aria-label="Outcomes">`)
	for _, c := range v.Chips {
		w.Put(`<button type="button" data-outcome="{}" aria-pressed="false"><span class="dot b-{}"></span>{} {}</button>`, c.Name, c.Class, c.Name, number(c.N))
	}
	w.Put("</div>\n")
	if v.All != "" {
		w.Put(`<select id="by" aria-label="{}"><option value="">{}</option></select>`, v.All, v.All)
	}
	w.Put(`
<select id="sort" aria-label="Order"><option value="">in order</option><option value="slow">slowest first</option><option value="name">by name</option></select>
<button type="button" id="expand">open all shown</button>
<p id="count" role="status" aria-live="polite"></p>
</div>`)
}

// rows writes the rows that are part of the page from the beginning.
func (v *pageView) rows(w *markup.Writer, rows []rowView) {
	w.Put(`<div class="rows`)
	w.PutIf(v.Wide, ` wide`)
	w.PutIf(v.Sentences, ` sentences`)
	w.Put(`" id="rows" data-noun="{}"`, v.Noun)
	w.PutAny(` data-groups="{}"`, v.Groups)
	w.Put("><ol>\n")
	for i := range rows {
		rows[i].rich(w)
	}
	w.Put(`</ol></div>`)
}

// later writes the other rows, in lists of their own: browsers lay out short lists sooner.
func (v *pageView) later(w *markup.Writer, rows []rowView) {
	if len(rows) == 0 {
		return
	}
	w.Put(`<noscript><div class="rows`)
	w.PutIf(v.Wide, ` wide`)
	w.PutIf(v.Sentences, ` sentences`)
	w.Put(`">`)
	for some := range slices.Chunk(rows, rowsAtFirst) {
		w.Put("<ol>\n")
		for i := range some {
			some[i].rich(w)
		}
		w.Put(`</ol>`)
	}
	w.Put(`</div></noscript>`)
}

func (r *rowView) rich(w *markup.Writer) {
	if r.Begins {
		w.Put(`<li class="section"><h2>{}</h2></li>`+"\n", r.Section)
	}
	w.Put(`<li class="row" id="{}"><details`, r.ID)
	w.PutIf(r.Open, ` open`)
	w.Put(`><summary><span class="badge b-{}">{}</span><span class="name">{}</span><span class="note">{}</span><span class="took">{}</span></summary>`, r.Class, r.Outcome, r.Name, r.Note, r.Took)
	shown := r.Open || r.Later
	w.PutIf(!shown, `<noscript>`)
	w.Put(`<div class="body">`)
	w.Insert(r.Body)
	w.Put(`</div>`)
	w.PutIf(!shown, `</noscript>`)
	w.Put("</details></li>\n")
}

func (v *pageView) foot(w *markup.Writer) {
	w.Put(`<footer><p>Times are virtual: as a kube-apiserver would have taken.`)
	w.PutIf(!v.Single, ` <span class="keys"><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> next, previous <kbd>Enter</kbd> open <kbd>Esc</kbd> show all</span>`)
	w.Put("</p></footer>\n</body>\n</html>\n")
}
