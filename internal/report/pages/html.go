// Package pages writes results as one page of HTML, to look at with or without scripts.
//
// [NewResults] is for answers to requests; the other Write functions are for suites, recordings, and what would change
// or fail.
package pages

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/document"
)

// The page is one file that needs no network and may not use it: its policy allows only the style and the script that
// it contains, by their hashes.
//
// The body of a row, everything except its line, is in the page twice. For the script it is made of parts, and is added
// to the page when the row is opened; further rows are added when they are scrolled to. Without scripts, everything is
// in noscript elements, which a browser with scripts skips: as rich as with scripts up to a size, and plainer beyond
// it. This way a page of ten thousand requests opens at once, and every word in it is found at once.
//
// How the page shows a value is in the method rich of its view, which follows the view in the file.
const (
	// openAtFirst is how many rows with problems are open initially.
	openAtFirst = 5
	// maxOpen limits the size of their bodies together, in bytes.
	maxOpen = 128 << 10
	// rowsAtFirst is how many rows are part of the page from the beginning.
	rowsAtFirst = 100
	// maxRich is how many bytes of bodies are as rich without scripts as with them.
	maxRich = 2 << 20
)

// A htmlPage collects rows, with the ones to look at first kept apart. It keeps only their HTML.
type htmlPage struct {
	options        document.Options
	command        string
	noun           string // what a row is
	groups         string // heading of rows that are about many of them, and are not counted as one
	sentences      bool   // rows have sentences instead of names, which are shown whole
	all            string // the filter that shows all rows, whoever denied or whatever differs
	order          []string
	tally          tally
	chips          tally
	first, further []rowView
	writer         markup.Writer // writes one body after the other
	parts          markup.Parts
	rich           int                    // bytes of bodies so far
	plain          map[markup.HTML]string // the rows of plain bodies, by their text
}

// A rowView is one row: a request, or a case.
type rowView struct {
	ID      string
	Section string // its section, on a page with several kinds of rows
	Begins  bool   // the first row of the section
	Outcome string
	Also    []string // further outcomes to find it by
	Class   string   // a class of the style; empty: the outcome
	Good    bool
	Name    string
	Note    string // who denied, or what is wrong, on one line
	By      string // who denied, to filter by
	Took    string
	Micros  int64
	Open    bool
	Body    markup.HTML // without scripts
	Later   bool        // already inside a noscript element
	part    int         // of the body
}

// A body is what is below the line of a row.
type body interface {
	rich(*markup.Writer)
}

// A plainBody also has a shorter form.
type plainBody interface {
	body
	plain(*markup.Writer)
}

// row adds a row.
func (p *htmlPage) row(r rowView, b body, first bool) { p.add(r, newRowBody(&p.writer, b), first) }

// A rowBody is a body as HTML.
type rowBody struct{ rich, plain markup.HTML }

// newRowBody writes the body of a row. It may be called concurrently, each time with its own writer.
func newRowBody(w *markup.Writer, b body) (made rowBody) {
	b.rich(w)
	made.rich = w.HTML()
	if b, ok := b.(plainBody); ok {
		b.plain(w)
		made.plain = w.HTML()
	}
	return made
}

// add adds a row with its body.
func (p *htmlPage) add(r rowView, body rowBody, first bool) {
	r.part = p.parts.Add(body.rich)
	r.Body = p.scriptless(r, body)
	r.Class = cmp.Or(r.Class, r.Outcome)
	p.chips.requests(r.Outcome, r.Class, 1)
	if first {
		p.first = append(p.first, r)
	} else {
		p.further = append(p.further, r)
	}
}

// scriptless returns the body of a row for a page without scripts: the same as with scripts until the page is too long,
// then a plainer one, once for all rows with the same text.
func (p *htmlPage) scriptless(r rowView, body rowBody) markup.HTML {
	if first := p.rows() == 0; first || body.plain.Len() == 0 || p.rich+body.rich.Len() <= maxRich {
		p.rich += body.rich.Len()
		return body.rich.Ungrouped()
	}
	if p.plain == nil {
		p.plain = map[markup.HTML]string{}
	}
	if same := p.plain[body.plain]; same != "" {
		var w markup.Writer
		w.Put(`<p class="dim">The same as <a href="#{}">above</a>.</p>`, same)
		return w.HTML()
	}
	p.plain[body.plain] = r.ID
	return body.plain
}

func (p *htmlPage) rows() int { return len(p.first) + len(p.further) }

func (p *htmlPage) nextID() string { return fmt.Sprintf("r%d", p.rows()+1) }

// openFirst opens rows with problems.
func (p *htmlPage) openFirst(rows []rowView) {
	opened, size := 0, 0
	for i := range rows {
		r := &rows[i]
		if r.Good || opened == openAtFirst {
			continue
		}
		body := p.parts.HTML(r.part)
		if size += body.Len(); size > maxOpen {
			return
		}
		r.Open, r.Body = true, body
		opened++
	}
}

// linesOf returns what the script knows about the lines of rows: words that many of them share, then the rows, each
// with the part that is its body.
func linesOf(rows []rowView) []any {
	words, numbers := []string{}, map[string]int{}
	word := func(text string) int {
		n, ok := numbers[text]
		if !ok {
			n = len(words)
			numbers[text], words = n, append(words, text)
		}
		return n
	}
	lines := make([][]any, len(rows))
	for i, r := range rows {
		lines[i] = []any{r.ID, word(r.Outcome), word(r.Class), r.Name, word(r.Note), word(r.By), word(r.Took), r.Micros, r.part, word(r.Section)}
		if r.Open || len(r.Also) > 0 {
			lines[i] = append(lines[i], r.Open)
		}
		for _, outcome := range r.Also {
			lines[i] = append(lines[i], word(outcome))
		}
	}
	return []any{words, lines}
}

func number(n int) string { return strconv.Itoa(n) }

func micros(d time.Duration) int64 { return d.Microseconds() }
