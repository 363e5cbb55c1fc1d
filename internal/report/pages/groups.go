package pages

import (
	"path"
	"path/filepath"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// A groupView is a row about many requests to which the same happens.
type groupView struct {
	About    []string
	Lists    []listView
	Sections []sectionView
}

// A listView says how often values occur.
type listView struct {
	Title string
	Items []document.Count
}

// A sectionView is some of the requests.
type sectionView struct {
	Title, Class string
	Samples      []sampleView
	More         int
}

type sampleView struct {
	Title, About  string
	At            placeView // the subject of About
	Row           string    // of the request
	Message, Note string
	Was, Is       sideView
}

// A placeView is a line of a file. The folder is the same for most places, and not always shown.
type placeView string

// Base returns the place without the folders of the file.
func (p placeView) Base() string { return path.Base(filepath.ToSlash(string(p))) }

// A sideView is the old or the new state of something.
type sideView struct {
	Label, Text string
	Class       string // good or bad; empty: just one of two
}

// A panelView is a table below the charts.
type panelView struct {
	Title string
	Count int
	Heads []string
	Rows  [][]string

	Words  bool // cells contain words, not numbers
	Places bool // the first cell of each row is a place, see placeView
	Open   bool // initially
}

// A stackView is a line of a chart: parts of a number of requests.
type stackView struct {
	Name  string
	Parts []share
	N     string
}

func (v groupView) rich(w *markup.Writer) {
	for _, about := range v.About {
		w.Put(`<p class="dim">{}</p>`, about)
	}
	if len(v.Lists) > 0 {
		w.Put(`<dl class="facts wide">`)
		for _, l := range v.Lists {
			w.Put(`<div><dt>{}</dt><dd>`, l.Title)
			for i, c := range l.Items {
				w.PutIf(i > 0, `, `)
				w.Put(`{} <b>{}</b>`, words.OrNone(c.Value), number(c.Count))
			}
			w.Put(`</dd></div>`)
		}
		w.Put(`</dl>`)
	}
	for _, s := range v.Sections {
		if s.Title != "" {
			w.Put(`<h3 class="t-{}">{}</h3>`, s.Class, s.Title)
		}
		richSamples(w, s.Samples)
		if s.More > 0 {
			w.Put(`<p class="dim">and {} more</p>`, number(s.More))
		}
	}
}

func richSamples(w *markup.Writer, samples []sampleView) {
	w.Put(`<ul class="samples">`)
	for i := range samples {
		w.Put(`<li>`)
		samples[i].rich(w)
		w.Put(`</li>`)
	}
	w.Put(`</ul>`)
}

func (s *sampleView) rich(w *markup.Writer) {
	w.Put(`<p><b>{}</b> <span class="dim">`, s.Title)
	s.At.rich(w)
	w.Put(`{}</span>`, s.About)
	w.PutAny(` <a href="#{}">step by step</a>`, s.Row)
	w.Put(`</p>`)
	w.PutAny(`<p class="dim">{}</p>`, s.Note)
	w.PutAny(`<blockquote>{}</blockquote>`, s.Message)
	if s.Was.Text == "" && s.Is.Text == "" {
		return
	}
	w.Put(`<dl class="wanted sides"><div><dt>{}</dt><dd><del`, s.Was.Label)
	w.PutAny(` class="{}"`, s.Was.Class)
	w.Put(`>{}</del></dd></div><div><dt>{}</dt><dd><ins`, s.Was.Text, s.Is.Label)
	w.PutAny(` class="{}"`, s.Is.Class)
	w.Put(`>{}</ins></dd></div></dl>`, s.Is.Text)
}

func (p placeView) rich(w *markup.Writer) {
	if p != "" {
		w.Put(`<span title="{}">{}</span> `, string(p), p.Base())
	}
}

// maxListed is how many values of a list are shown.
const maxListed = 30

// maxStacks is how many lines a chart has.
const maxStacks = 12

// group adds a row about many requests.
func (p *htmlPage) group(outcome, class, name, note string, requests int, good bool, view groupView) {
	p.row(rowView{
		ID: p.nextID(), Outcome: outcome, Class: class, Good: good, Name: name, Note: note,
		Took: words.Plural(requests, "request"), Micros: int64(requests),
	}, view, false)
}

// stack returns a line with parts of a whole, given as class and number.
func stack(name, n string, whole int, parts ...outcomeCount) stackView {
	before := 0
	for i := range parts { // a request may be in several parts
		parts[i].n = min(parts[i].n, whole-before)
		before += parts[i].n
	}
	return stackView{name, sharesOf(whole, parts), n}
}

func undecidedPanel(all []document.DiffError) panelView {
	p := panelView{Title: "Could not be answered", Words: true, Count: len(all), Heads: []string{"request", "why"}}
	for _, e := range all {
		p.Rows = append(p.Rows, []string{e.Request.String(), e.Error})
	}
	return p
}

func lists(titled ...any) (all []listView) {
	for i := 0; i < len(titled); i += 2 {
		items := titled[i+1].([]document.Count)
		if len(items) > 1 || len(items) == 1 && items[0].Value != "" {
			all = append(all, listView{titled[i].(string), items[:min(len(items), maxListed)]})
		}
	}
	return all
}
