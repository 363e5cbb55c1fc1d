package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// The page is one file that needs no network and may not use it: its policy allows the
// style and the script that it holds, by their hashes, and nothing else.
//
// What of a row is not its line, its body, is in the page twice. For the script it is made
// of [parts], and becomes part of the page when somebody opens the row; so do rows, beyond
// the first, when somebody gets there. Where there are no scripts, all of it stands in
// noscripts, which a browser with scripts skips: as rich as with them up to a size, plainer
// beyond. So ten thousand requests open at once, and every word of them is found at once.
var (
	//go:embed html/page.css
	pageStyle string
	//go:embed html/page.js
	pageScript string
	//go:embed html/page.tmpl
	pageText string

	pageTemplate = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("page").Funcs(template.FuncMap{
			"briefly": briefly,
			"onLines": func(v any) string { return onLines(fmt.Sprintf("%s", v)) },
		}).Parse(strings.NewReplacer("{{begins}}", listBegins, "{{ends}}", listEnds).Replace(pageText)))
	})
)

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
	options        Options
	command        string
	noun           string // what a row is
	groups         string // the section of rows that are about many of them, and not counted as one
	all            string // the choice of rows whoever denied, or whatever differs
	order          []string
	tally          tally
	chips          tally
	first, further []rowView
	parts          parts
	rich           int               // bytes of bodies so far
	plain          map[string]string // the rows of plain bodies, by what they say
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
	Body    template.HTML // without scripts; of the template, which escaped what is in it
	Later   bool          // inside of a noscript already
	part    int           // of the body
}

// A pageView is everything around the rows.
type pageView struct {
	Policy        string
	Style, Script template.HTML
	Command, Noun string
	Groups        string // see htmlPage
	Good, Mixed   bool   // else bad
	Verdict       string
	Sub           string
	All           string // see htmlPage
	Rows          []rowView
	Later         [][]rowView // in chunks
	Lines, Parts  template.HTML
	Shares        []share // of requests
	Stacked       string  // instead of them: what stacks are about
	Stacks        []stackView
	Legend        []share // of stacks
	Empty         string  // said where there are no rows
	Wide          bool    // outcomes have long names
	Chips         []share // of rows
	Panels        []panelView
	Deniers       []share
	Histogram     *histogram
	Hooks         []*hookTally
	Coverage      *coverageView
	Single        bool
}

// row adds one with the body that a template makes of a view.
func (p *htmlPage) row(r rowView, name string, view any, first bool) error {
	body, err := newRowBody(name, view)
	if err != nil {
		return err
	}
	return p.add(r, body, first)
}

// A rowBody is what is below the line of a row, made already.
type rowBody struct{ rich, plain string }

// newRowBody makes what a template makes of a view. Many can be made beside each other.
func newRowBody(name string, view any) (b rowBody, err error) {
	if b.rich, err = execute(name, view); err != nil || pageTemplate().Lookup(name+", plain") == nil {
		return b, err
	}
	b.plain, err = execute(name+", plain", view)
	return b, err
}

// add adds a row with its body.
func (p *htmlPage) add(r rowView, body rowBody, first bool) error {
	r.part = p.parts.add(body.rich)
	made, err := p.scriptless(r, body)
	if err != nil {
		return err
	}
	r.Body = template.HTML(made)
	r.Class = cmp.Or(r.Class, r.Outcome)
	p.chips.requests(r.Outcome, r.Class, 1)
	if first {
		p.first = append(p.first, r)
	} else {
		p.further = append(p.further, r)
	}
	return nil
}

// scriptless is the body of a row where there are no scripts: what it is with them, while
// the page is not too long for that, else plainer, and once for all rows that say the same.
func (p *htmlPage) scriptless(r rowView, body rowBody) (string, error) {
	if first := p.rows() == 0; first || body.plain == "" || p.rich+len(body.rich) <= mostRich {
		p.rich += len(body.rich)
		return unmarked.Replace(body.rich), nil
	}
	if p.plain == nil {
		p.plain = map[string]string{}
	}
	if same := p.plain[body.plain]; same != "" {
		return execute("same", same)
	}
	p.plain[body.plain] = r.ID
	return body.plain, nil
}

func execute(name string, view any) (string, error) {
	var b strings.Builder
	if err := pageTemplate().ExecuteTemplate(&b, name, view); err != nil {
		return "", fmt.Errorf("the page: %w", err)
	}
	return b.String(), nil
}

func (p *htmlPage) rows() int { return len(p.first) + len(p.further) }

func (p *htmlPage) nextID() string { return fmt.Sprintf("r%d", p.rows()+1) }

// write writes the page.
func (p *htmlPage) write(w io.Writer, v pageView) error {
	v.Style, v.Script = "<style>"+template.HTML(pageStyle)+"</style>", "<script>"+template.HTML(pageScript)+"</script>"
	v.Policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hashOf(pageStyle), hashOf(pageScript))
	rows := slices.Concat(p.first, p.further)
	v.Command, v.Noun, v.Groups = p.command, p.noun, p.groups
	if slices.ContainsFunc(rows, func(r rowView) bool { return r.By != "" }) {
		v.All = cmp.Or(p.all, "whoever denied")
	}
	if v.Single = len(rows) == 1 && v.Panels == nil && v.Stacked == "" && p.tally.outcomes == nil; v.Single {
		rows[0].Open = true
	}
	if !v.Single {
		p.openFirst(rows)
	}
	for i := range rows {
		rows[i].Begins = rows[i].Section != "" && (i == 0 || rows[i].Section != rows[i-1].Section)
	}
	v.Chips = p.chips.shares(p.order...)
	v.Wide = slices.ContainsFunc(v.Chips, func(c share) bool { return len(c.Name) > 8 })
	v.Empty = cmp.Or(v.Empty, "There is no "+p.noun+".")
	if v.Shares = p.tally.shares(p.order...); v.Shares == nil {
		v.Shares = v.Chips
	}
	v.Deniers, v.Histogram, v.Hooks = p.tally.denierBars(), p.tally.histogram(), p.tally.hookRows()
	lines, err := linesOf(rows)
	if err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	parts, err := p.parts.json()
	if err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	v.Lines, v.Parts = data("lines", lines), data("parts", parts)
	n := min(len(rows), rowsAtFirst)
	for i := n; i < len(rows); i++ {
		rows[i].Later = true
	}
	v.Rows, v.Later = rows[:n], slices.Collect(slices.Chunk(rows[n:], rowsAtFirst))
	if err := pageTemplate().ExecuteTemplate(w, "page", v); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	return nil
}

// openFirst opens what is wrong.
func (p *htmlPage) openFirst(rows []rowView) {
	opened, size := 0, 0
	for i := range rows {
		r := &rows[i]
		if r.Good || opened == openAtFirst {
			continue
		}
		body := p.parts.html(r.part)
		if size += len(body); size > mostOpen {
			return
		}
		r.Open, r.Body = true, template.HTML(body)
		opened++
	}
}

// data is something that the script reads, and a browser does not run.
func data(id, text string) template.HTML {
	return template.HTML(`<script type="application/json" id="` + id + `">` + text + "</script>")
}

// linesOf is what the script knows of the lines of rows: words that many of them have, then
// the rows, each with the part that is its body.
func linesOf(rows []rowView) (string, error) {
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
	text, err := json.Marshal([]any{words, lines}) // in which every < is escaped
	return string(text), err
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// onLines is JSON, indented; what is none stays as it is.
func onLines(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

func micros(d time.Duration) int64 { return d.Microseconds() }
