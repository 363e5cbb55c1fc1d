package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"time"
)

// The page is one file that needs no network and may not use it: its policy allows the
// style and the script that it holds, by their hashes, and nothing else.
//
// What of a row is not its line stands in a noscript. With scripts off it is simply there;
// with scripts on a browser reads it as text, which is fast, and the script makes it part of
// the page when somebody opens the row. So every row is in the file once, made by the
// template and escaped by it, and ten thousand of them open at once.
var (
	//go:embed html/page.css
	pageStyle string
	//go:embed html/page.js
	pageScript string
	//go:embed html/page.tmpl
	pageText string

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// A htmlPage collects rows, the ones to look at first apart from the others.
type htmlPage struct {
	options Options
	command string
	noun    string // what a row is
	order   []string
	tally   tally
	chips   tally
	rows    int
	first   bytes.Buffer
	further bytes.Buffer
	opened  int
}

// A rowView is one row: a request, or a case.
type rowView struct {
	ID      string
	Outcome string
	Class   string // that the style knows; empty: the outcome
	Good    bool
	Name    string
	Note    string // who denied, or what is wrong, on one line
	By      string // who denied, to filter by
	Took    string
	Micros  int64
	Open    bool
	Body    template.HTML // of the template, which escaped what is in it
}

// A pageView is everything around the rows.
type pageView struct {
	Policy        string
	Style, Script template.HTML
	Command, Noun string
	Good          bool
	Verdict       string
	Sub           string
	Rows          int
	Shares        []share // of requests
	Chips         []share // of rows
	Panels        []panelView
	Deniers       []share
	Histogram     *histogram
	Hooks         []*hookTally
	Coverage      *coverageView
	Single        bool
}

// openAtFirst rows are open when the page is: what is wrong, if it is not too much.
const openAtFirst = 5

// row adds one with the body that a template makes of a view.
func (p *htmlPage) row(r rowView, body string, view any, first bool) error {
	var b bytes.Buffer
	if err := pageTemplate.ExecuteTemplate(&b, body, view); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	r.Body = template.HTML(b.String())
	if !r.Good && p.opened < openAtFirst {
		r.Open = true
		p.opened++
	}
	p.rows++
	if r.Class == "" {
		r.Class = r.Outcome
	}
	p.chips.requests(r.Outcome, r.Class, 1)
	to := &p.further
	if first {
		to = &p.first
	}
	return pageTemplate.ExecuteTemplate(to, "row", r)
}

func (p *htmlPage) nextID() string { return fmt.Sprintf("r%d", p.rows+1) }

// write writes the page.
func (p *htmlPage) write(w io.Writer, v pageView) error {
	v.Style, v.Script = "<style>"+template.HTML(pageStyle)+"</style>", "<script>"+template.HTML(pageScript)+"</script>"
	v.Policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hashOf(pageStyle), hashOf(pageScript))
	v.Command, v.Noun, v.Rows, v.Single = p.command, p.noun, p.rows, p.rows == 1 && v.Panels == nil && p.tally.outcomes == nil
	v.Chips = p.chips.shares(p.order...)
	if v.Shares = p.tally.shares(p.order...); v.Shares == nil {
		v.Shares = v.Chips
	}
	v.Deniers, v.Histogram, v.Hooks = p.tally.denierBars(), p.tally.histogram(), p.tally.hookRows()
	var head, tail bytes.Buffer
	if err := pageTemplate.ExecuteTemplate(&head, "head", v); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	if err := pageTemplate.ExecuteTemplate(&tail, "tail", v); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	for _, part := range []*bytes.Buffer{&head, &p.first, &p.further, &tail} {
		if _, err := part.WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func micros(d time.Duration) int64 { return d.Microseconds() }
