package pages

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/reporttest"
)

// hostiles are texts that would be markup if they were not escaped.
var hostiles = []string{
	reporttest.Hostile, "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", `"onerror="alert(1)`, `'onerror='alert(1)`, `"><svg onload=alert(1)>`,
	"</pre></noscript></details></li></ol>", "</title></style><b>", "]]>", "<!--", "<![CDATA[", "-->", "\x00", "\x00[", "\x00]", "\xff\xc3(", "&lt;b&gt;", "&#60;b>", "{}", "javascript:alert(1)", "`", "\u2028",
}

// bodies returns the bodies of rows, one of each kind.
func bodies(f *reporttest.Filler) []body {
	folded := reporttest.Filled[requestView](f)
	folded.Fold = !folded.Fold
	return []body{
		reporttest.Filled[resultView](f), reporttest.Filled[caseView](f), reporttest.Filled[requestView](f), folded, reporttest.Filled[groupView](f), reporttest.Filled[deadlockView](f), reporttest.Filled[budgetView](f),
		inPlain{reporttest.Filled[resultView](f)}, inPlain{reporttest.Filled[caseView](f)}, inPlain{reporttest.Filled[requestView](f)},
	}
}

// inPlain shows the plain form of a body as its rich form.
type inPlain struct{ plainBody }

func (p inPlain) rich(w *markup.Writer) { p.plain(w) }

// Whatever the texts in a page are, the page has the same elements with the same attributes, and contains the texts.
// This holds for every field of every view, with everything optional and without it.
func TestTextsAreNoMarkup(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	const harmless = "harmless"
	for _, holds := range []bool{true, false} {
		want := read(t, pageFilledWith(t, harmless, holds))
		said := strings.Count(want.says, harmless)
		if said < 2000 {
			t.Fatalf("a page has a text only %d times", said)
		}
		for _, text := range hostiles {
			got := read(t, pageFilledWith(t, text, holds))
			if at := differ(want.elements, got.elements); at != "" {
				t.Errorf("%q is markup: %s", text, at)
			}
			means := inert.Shown(text)
			if n := strings.Count(got.says, means); n < said && !strings.Contains(text, "/") { // the folder of a place is left out
				t.Errorf("a page has %q %d times, want %d", text, n, said)
			}
		}
	}
}

// A readPage is a page as a browser without scripts sees it.
type readPage struct {
	elements []string // with the names of their attributes, in order
	says     string   // between tags and in attributes
}

func read(t *testing.T, page string) (r readPage) {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	var says strings.Builder
	for n := range root.Descendants() {
		switch {
		case n.Type == html.CommentNode:
			t.Errorf("there is a comment: %s", n.Data)
		case n.Type == html.TextNode && n.Parent.DataAtom == atom.Script && len(n.Parent.Attr) > 0:
			if !json.Valid([]byte(n.Data)) {
				t.Errorf("the data is not JSON: %.200s", n.Data)
			}
		case n.Type == html.TextNode && n.Parent.DataAtom != atom.Script && n.Parent.DataAtom != atom.Style:
			says.WriteString(n.Data + "\n")
		case n.Type == html.ElementNode:
			element := strings.Repeat(" ", depthOf(n)) + n.Data
			for _, a := range n.Attr {
				element += " " + a.Key
				if a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
					t.Errorf("a link leads to another page: %s", a.Val)
				}
				says.WriteString(a.Val + "\n")
			}
			r.elements = append(r.elements, element)
		}
	}
	r.says = says.String()
	return r
}

func depthOf(n *html.Node) (depth int) {
	for range n.Ancestors() {
		depth++
	}
	return depth
}

// differ returns the first place where two pages differ.
func differ(want, got []string) string {
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			return fmt.Sprintf("element %d is %q, want %q", i, got[min(i, len(got)):min(i+1, len(got))], want[min(i, len(want)):min(i+1, len(want))])
		}
	}
	return ""
}

// pageFilledWith returns a page all of whose texts are the same.
func pageFilledWith(t *testing.T, text string, holds bool) string {
	t.Helper()
	f := &reporttest.Filler{Text: text, Holds: holds}
	p := &htmlPage{command: text, noun: text, groups: text, all: text}
	if holds { // so that the others are not part of the page at first
		for range rowsAtFirst {
			p.row(rowView{Good: true}, groupView{}, true)
		}
	}
	for _, b := range bodies(f) {
		row := reporttest.Filled[rowView](f)
		row.Good = true // so that the length of texts does not decide which rows are open
		p.row(*row, b, true)
	}
	p.tally = tally{deniers: map[string]int{text: 2}, elapsed: times{1e6: 1, 3e6: 1}, hooks: map[string]*hookTally{text: {Name: text, Asked: 1}}}
	p.tally.requests(text, text, 2)
	var b strings.Builder
	if err := p.write(&b, *reporttest.Filled[pageView](f)); err != nil {
		t.Fatal(err)
	}
	if p.rich > maxRich {
		t.Fatalf("%d bytes are too many for a page with only rich bodies", p.rich)
	}
	return b.String()
}
