package pages

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// The classes of changes: what is newly denied, what is newly admitted, and the rest.
var changeClasses = map[document.DiffChange]string{document.NewlyDenied: "denied", document.NewlyAllowed: "admitted"}

// WriteDiff writes a page with a row for each group of changes, then one for each request that changes.
func WriteDiff(w io.Writer, d *document.Diff, requests *DiffRows, o document.Options) error {
	if requests == nil {
		requests = NewDiffRows(o)
	}
	p := requests.copy()
	slices.SortStableFunc(p.further, func(a, b rowView) int {
		return cmp.Compare(slices.Index(p.order, a.Outcome), slices.Index(p.order, b.Outcome))
	})
	for _, g := range d.Groups {
		change := g.Change
		row := rowView{
			ID: p.nextID(), Section: whatChange, Outcome: document.ChangeWords[change], Class: classOf(change), Good: change != document.NewlyDenied,
			Name: d.GroupTitle(g), Took: words.Plural(g.Requests, "request"), Micros: int64(g.Requests),
		}
		if g.By != (document.Actor{}) {
			row.By = g.By.String()
		}
		if change != document.DifferentCalls {
			row.Note = row.By
		}
		p.row(row, viewOfGroup(d, g, requests.rows), true)
	}
	p.chips = diffChips(d)
	if len(requests.page.further) > 0 {
		p.noun, p.groups = "request", whatChange
	}
	v := pageView{
		Good:    d.Changed+d.Undecided == 0,
		Mixed:   d.Undecided == 0 && !slices.ContainsFunc(d.Groups, func(g document.DiffGroup) bool { return g.Change == document.NewlyDenied }),
		Verdict: fmt.Sprintf("%s of %s changed", words.Thousands(d.Changed), words.Plural(d.Requests, "request")),
		Sub:     fmt.Sprintf("from %s (base) to %s (head)%s", d.Base, d.Head, d.AboutUndecided()),
		Stacked: "Requests that change, by what changes",
		Stacks:  diffStacks(d),
		Empty:   "Every request has the same answer in both.",
	}
	if more := d.Changed - len(requests.page.further); more > 0 && len(requests.page.further) > 0 {
		v.Sub += fmt.Sprintf("; %s below by group only", words.Plural(more, "request"))
	}
	if d.Changed == 0 {
		v.Verdict = "Nothing changes for " + words.Plural(d.Requests, "request")
	}
	if len(d.Calls) > 0 {
		calls := panelView{Title: "Calls of webhooks", Count: len(d.Calls), Heads: []string{"webhook", baseSide, headSide, "change"}}
		for _, c := range d.Calls {
			calls.Rows = append(calls.Rows, []string{c.Webhook.String(), words.Thousands(c.Base), words.Thousands(c.Head), words.Signed(c.Head - c.Base)})
		}
		v.Panels = append(v.Panels, calls)
	}
	if about := d.AboutAssumed(); about != "" {
		v.Good, v.Mixed = false, true
		v.Sub += "; assumed: " + about + "; " + document.AssumedHint
	}
	if about := d.AboutUnreached(); about != "" {
		v.Good, v.Mixed = false, true
		v.Sub += "; " + about
	}
	if len(d.Errors) > 0 {
		v.Panels = append(v.Panels, undecidedPanel(d.Errors))
	}
	return p.write(w, v)
}

func classOf(change document.DiffChange) string { return cmp.Or(changeClasses[change], "changed") }

// diffChips returns how many requests change in each way, even if not all of them have rows.
func diffChips(d *document.Diff) (all tally) {
	for _, change := range document.Changes() {
		all.requests(document.ChangeWords[change], classOf(change), d.RequestsOf(change))
	}
	return all
}

// diffStacks returns the changes, each with the fraction of the requests that have it.
func diffStacks(d *document.Diff) (all []stackView) {
	for _, change := range document.Changes() {
		if n := d.RequestsOf(change); n > 0 {
			all = append(all, stack(document.ChangeWords[change], words.Thousands(n), d.Requests, outcomeCount{class: classOf(change), n: n}))
		}
	}
	return all
}

func viewOfGroup(d *document.Diff, g document.DiffGroup, rows map[string]string) groupView {
	change := g.Change
	view := groupView{Lists: lists("users", g.Users, "namespaces", g.Namespaces, "requests", g.Resources)}
	if g.By != (document.Actor{}) {
		view.About = append(view.About, words.Join(document.ByWord(change)+" "+g.By.String(), g.By.Source))
	}
	before, after := "", ""
	switch change {
	case document.NewlyDenied:
		before, after = "good", "bad"
	case document.NewlyAllowed:
		before, after = "bad", "good"
	}
	section := sectionView{More: g.Requests - len(g.Samples)}
	for _, s := range g.Samples {
		section.Samples = append(section.Samples, sampleView{
			Title: s.Request.String(), At: placeView(s.Request.Source), About: s.Request.Who(), Row: rows[s.Request.Key()], Note: s.Because,
			Was: sideView{baseSide, document.SideText(change, s.Base), before}, Is: sideView{headSide, document.SideText(change, s.Head), after},
		})
	}
	view.Sections = []sectionView{section}
	return view
}
