package pages

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

// maxRequests limits the number of rows per section.
const maxRequests = 10_000

// RequestRows are the requests that the page of a replay or a diff shows one by one. They are added as they arrive, and
// only their HTML is kept.
type RequestRows struct {
	page     *htmlPage
	rows     map[string]string // of requests, by their names in samples
	added    map[string]int    // by section
	full     *sync.Map         // sections that need no more rows
	answered int               // requests with known answers
}

// A RequestRow is one request, ready to be added.
type RequestRow struct {
	row     rowView
	body    rowBody
	key     string
	counted *document.Counts // nil: it is not counted at the top of the page
	only    bool             // it is counted, and has no row
}

// A requestView is one request with two answers.
type requestView struct {
	At       placeView // where the request is from
	From     string    // who sent it
	About    []string
	Verdicts []verdictView
	Samples  []sampleView // what else differs
	Beside   *besideView
	Object   *evolution
	Sides    []sideResult
	Fold     bool // whether the steps of each are collapsed
}

// A verdictView is one of the answers.
type verdictView struct {
	Label, Words, Answer, Message string
	Good                          bool
}

// A sideResult is how one of the answers came about.
type sideResult struct {
	Label string
	*resultView
}

// rich writes a request with both answers, what differs between them, and how they came about.
func (v *requestView) rich(w *markup.Writer) {
	if len(v.Verdicts) > 0 {
		w.Put(`<div class="two">`)
		for i := range v.Verdicts {
			v.Verdicts[i].rich(w)
		}
		w.Put(`</div>`)
	}
	if v.At != "" {
		w.Put(`<p class="dim about">`)
		v.At.rich(w)
		w.Put(`{}</p>`, v.From)
	}
	for _, about := range v.About {
		w.Put(`<p class="dim about">{}</p>`, about)
	}
	if len(v.Samples) > 0 {
		w.Put(`<h3>What differs</h3>`)
		richSamples(w, v.Samples)
	}
	if v.Beside != nil {
		v.Beside.rich(w)
	}
	if v.Object != nil {
		v.Object.still(w)
	}
	if v.Fold {
		v.folded(w)
		return
	}
	for _, side := range v.Sides {
		w.Put(`<h2 class="label">{}, step by step</h2>`, side.Label)
		w.PutAny(`<p class="dim about">{}</p>`, side.Repeated)
		for i := range side.Chains {
			side.Chains[i].rich(w)
		}
	}
}

func (v *verdictView) rich(w *markup.Writer) {
	class := "bad"
	if v.Good {
		class = "good"
	}
	w.Put(`<div class="say {}"><p><span class="side">{}</span> <strong>{}</strong> <span class="dim">{}</span></p>`, class, v.Label, v.Words, v.Answer)
	w.PutAny(`<blockquote>{}</blockquote>`, v.Message)
	w.Put(`</div>`)
}

// folded writes the timelines of both answers next to each other, and their steps, collapsed.
func (v *requestView) folded(w *markup.Writer) {
	for _, side := range v.Sides {
		for i := range side.Chains {
			if t := side.Chains[i].Time; t != nil {
				w.Begin()
				w.Put(`<h3>How long it took: {}</h3>`, side.Label)
				t.rich(w)
				w.End()
			}
		}
	}
	for _, side := range v.Sides {
		w.Put(`<details class="aside"><summary>All that happened: {}</summary>`, side.Label)
		w.PutAny(`<p class="dim about">{}</p>`, side.Repeated)
		for i := range side.Chains {
			c := &side.Chains[i]
			c.head(w)
			c.steps(w)
			w.Put(`</section>`)
			c.object(w)
		}
		w.Put(`</details>`)
	}
}

// still writes an object with its two versions.
func (e *evolution) still(w *markup.Writer) {
	w.Put(`<section class="evolution still"><h3>The object, {}`, strings.Join(e.Versions, " and "))
	w.Put(`</h3>`)
	e.versions(w)
	w.PutIf(len(e.Versions) == 1, `<p class="dim">the same in both</p>`)
	w.Put("\n")
	e.listing(w)
	w.Put(`</section>`)
}

func newRequestRows(command, all string, o document.Options) RequestRows {
	return RequestRows{
		page: &htmlPage{command: command, noun: "row", all: all, options: o},
		rows: map[string]string{}, added: map[string]int{}, full: &sync.Map{},
	}
}

// Add adds a row, which may be nil. Each section has the first [maxRequests].
func (r *RequestRows) Add(row *RequestRow) {
	if row == nil {
		return
	}
	if row.counted != nil {
		r.answered++
		r.page.tally.request(*row.counted)
	}
	if row.only || r.added[row.row.Section] == maxRequests {
		return
	}
	r.added[row.row.Section]++
	if r.added[row.row.Section] == maxRequests {
		r.full.Store(row.row.Section, true)
	}
	row.row.ID = r.page.nextID()
	r.rows[row.key] = row.row.ID
	r.page.add(row.row, row.body, false)
}

// isFull reports whether a section has enough rows. It may be called while others add rows.
func (r *RequestRows) isFull(section string) bool {
	_, full := r.full.Load(section)
	return full
}

// copy returns a page with the rows so far, to which others can be added.
func (r *RequestRows) copy() *htmlPage {
	p := *r.page
	p.first, p.further = slices.Clone(p.first), slices.Clone(p.further)
	p.chips.outcomes = slices.Clone(p.chips.outcomes)
	p.parts, p.writer = p.parts.Clone(), markup.Writer{}
	return &p
}

// verdict returns one of the answers.
func verdict(label string, r *report.Result) verdictView {
	v := verdictView{Label: label, Words: "Admitted", Answer: words.Answered(r), Good: r.Allowed}
	if !r.Allowed {
		v.Words = "Denied by " + r.DeniedBy.String()
		if r.Status != nil {
			v.Message = r.Status.Message
		}
	}
	return v
}

func answerText(code int) string { return fmt.Sprintf("%d %s", code, http.StatusText(code)) }

// besideOf compares the steps of two results.
func besideOf(left, right sideResult) *besideView {
	return beside(left.Label, right.Label, left.actions(), right.actions())
}

// actions returns the actions of all chains of a result.
func (r sideResult) actions() (all []action) {
	for i, c := range r.Chains {
		all = append(all, c.actions(r.Admissions[i].Steps)...)
	}
	return all
}

// besideObject compares two resulting objects.
func besideObject(left, right string, a, b any) (*evolution, error) {
	values := map[string]any{left: a, right: b}
	return evolve([]document.ObjectVersion{{By: left}, {By: right}}, func(v document.ObjectVersion) (any, error) { return values[v.By], nil })
}
