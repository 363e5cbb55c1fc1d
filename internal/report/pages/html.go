// Package pages writes results as one page of HTML, to look at with or without scripts.
//
// [NewResults] is for answers to requests; the other Write functions are for suites, recordings,
// and what would change or fail.
package pages

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/document"
)

// The page is one file that needs no network and may not use it: its policy allows the
// style and the script that it holds, by their hashes, and nothing else.
//
// What of a row is not its line, its body, is in the page twice. For the script it is made
// of parts, and becomes part of the page when the row is opened; so do rows, beyond
// the first, when they are scrolled to. Without scripts, all of it is in
// noscripts, which a browser with scripts skips: as rich as with them up to a size, plainer
// beyond. So ten thousand requests open at once, and every word of them is found at once.
//
// What the page says of a value is the method rich of its view, which stands below the view.
const (
	// openAtFirst rows are open when the page is: what is wrong, if it is not too much.
	openAtFirst = 5
	// mostOpen is how many bytes their bodies may have together.
	mostOpen = 128 << 10
	// rowsAtFirst are part of the page from the beginning.
	rowsAtFirst = 100
	// mostRich is how many bytes of bodies are as rich without scripts as with them.
	mostRich = 2 << 20
)

// A htmlPage collects rows, the ones to look at first apart from the others. What they are
// made of is kept, not what they are about.
type htmlPage struct {
	options        document.Options
	command        string
	noun           string // what a row is
	groups         string // the section of rows that are about many of them, and not counted as one
	all            string // the choice of rows whoever denied, or whatever differs
	order          []string
	tally          tally
	chips          tally
	first, further []rowView
	writer         markup.Writer // of one body after the other
	parts          markup.Parts
	rich           int                    // bytes of bodies so far
	plain          map[markup.HTML]string // the rows of plain bodies, by what they say
}

// A rowView is one row: a request, or a case.
type rowView struct {
	ID      string
	Section string // what rows it stands among, on a page that has several sorts
	Begins  bool   // it is the first of them
	Outcome string
	Also    []string // further outcomes to find it by
	Class   string   // that the style knows; empty: the outcome
	Good    bool
	Name    string
	Note    string // who denied, or what is wrong, on one line
	By      string // who denied, to filter by
	Took    string
	Micros  int64
	Open    bool
	Body    markup.HTML // without scripts
	Later   bool        // inside of a noscript already
	part    int         // of the body
}

// A body is what is below the line of a row.
type body interface {
	rich(*markup.Writer)
}

// A plainBody can be said in less, too.
type plainBody interface {
	body
	plain(*markup.Writer)
}

// row adds one.
func (p *htmlPage) row(r rowView, b body, first bool) { p.add(r, newRowBody(&p.writer, b), first) }

// A rowBody is a body as HTML.
type rowBody struct{ rich, plain markup.HTML }

// newRowBody makes that of a row. Many can be made beside each other, each with a writer.
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

// scriptless is the body of a row where there are no scripts: what it is with them, while
// the page is not too long for that, else plainer, and once for all rows that say the same.
func (p *htmlPage) scriptless(r rowView, body rowBody) markup.HTML {
	if first := p.rows() == 0; first || body.plain.Len() == 0 || p.rich+body.rich.Len() <= mostRich {
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

// openFirst opens what is wrong.
func (p *htmlPage) openFirst(rows []rowView) {
	opened, size := 0, 0
	for i := range rows {
		r := &rows[i]
		if r.Good || opened == openAtFirst {
			continue
		}
		body := p.parts.HTML(r.part)
		if size += body.Len(); size > mostOpen {
			return
		}
		r.Open, r.Body = true, body
		opened++
	}
}

// linesOf is what the script knows of the lines of rows: words that many of them have, then
// the rows, each with the part that is its body.
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
