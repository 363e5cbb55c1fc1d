package pages

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// A decisionView is a request that the two worlds decide differently.
type decisionView struct {
	Base, Head string // the worlds
	Was, Is    string
	Text       string // its manifest
}

// equivalencePage writes a page with a row for each way in which decisions differ, and for each region that only one
// world is asked about.
func equivalencePage(e *document.Equivalence, w io.Writer, options document.Options) error {
	p := &htmlPage{command: "diff --equivalent", noun: "difference", options: options}
	for i, g := range e.Differences {
		view := decisionView{Base: e.Base, Head: e.Head}
		if len(g.Samples) > 0 {
			view.Was, view.Is = g.Samples[0].Base, g.Samples[0].Head
		}
		name := g.What
		if len(g.Samples) > 0 {
			name = g.Samples[0].Request.String() + " " + g.Samples[0].Request.About()
		}
		if i == 0 && e.First != nil && len(e.First.Manifest) > 0 {
			text, err := encode.YAML(json.RawMessage(e.First.Manifest))
			if err != nil {
				return err
			}
			view.Text = string(text)
		}
		row := rowView{ID: p.nextID(), Outcome: string(g.Change), Class: "denied", Name: name, Note: words.Plural(g.Requests, "request") + ": " + g.What, By: g.By.String()}
		p.row(row, view, false)
	}
	for _, r := range e.Regions {
		view, err := viewOfRegion(r)
		if err != nil {
			return err
		}
		row := rowView{ID: p.nextID(), Outcome: r.What, Class: "changed", Name: r.Text, Note: e.RegionWords(r.What)}
		p.row(row, view, false)
	}
	sub := append([]string{e.Requests() + ".", e.Decisions() + ": " + strings.Join(e.Made(), "; ") + "."}, e.Notes()...)
	return p.write(w, pageView{Good: e.Verdict == document.Equivalent, Verdict: e.Title(), Sub: strings.Join(sub, " "), Empty: "There is no difference."})
}

func (v decisionView) rich(w *markup.Writer) {
	w.Put(`<dl class="facts wide"><div><dt>{}</dt><dd>{}</dd></div><div><dt>{}</dt><dd>{}</dd></div></dl>`, v.Base, v.Was, v.Head, v.Is)
	w.PutAny(`<p>The first request, which admsim run takes with -C:</p><pre class="object">{}</pre>`, v.Text)
}
