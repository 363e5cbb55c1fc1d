package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/whatif"
)

// The classes of changes: what is lost, what is let through, and the rest.
var changeClasses = map[whatif.Change]string{whatif.NewlyDenied: "denied", whatif.NewlyAllowed: "admitted"}

// writeDiffHTML writes a page with a row for each group of changes, then one for each request that
// changes.
func writeDiffHTML(w io.Writer, d *Diff, requests *DiffRows, o Options) error {
	if requests == nil {
		requests = NewDiffRows(o)
	}
	p := requests.copy()
	slices.SortStableFunc(p.further, func(a, b rowView) int {
		return cmp.Compare(slices.Index(p.order, a.Outcome), slices.Index(p.order, b.Outcome))
	})
	for _, g := range d.Groups {
		change := whatif.Change(g.Change)
		row := rowView{
			ID: p.nextID(), Section: whatChange, Outcome: changeWords[change], Class: classOf(change), Good: change != whatif.NewlyDenied,
			Name: d.groupTitle(g), Took: plural(g.Requests, "request"), Micros: int64(g.Requests),
		}
		if g.By != nil {
			row.By = g.By.String()
		}
		if change != whatif.DifferentCalls {
			row.Note = row.By
		}
		p.row(row, d.groupView(g, requests.rows), true)
	}
	p.chips = d.chips()
	if len(requests.page.further) > 0 {
		p.noun, p.groups = "request", whatChange
	}
	v := pageView{
		Good:    d.Changed+d.Undecided == 0,
		Mixed:   d.Undecided == 0 && !slices.ContainsFunc(d.Groups, func(g DiffGroup) bool { return g.Change == string(whatif.NewlyDenied) }),
		Verdict: fmt.Sprintf("%s of %s changed", thousands(d.Changed), plural(d.Requests, "request")),
		Sub:     fmt.Sprintf("from %s (base) to %s (head)%s", d.Base, d.Head, d.undecided()),
		Stacked: "Requests that change, by what changes",
		Stacks:  d.stacks(),
		Empty:   "Every request has the same answer in both.",
	}
	if more := d.Changed - len(requests.page.further); more > 0 && len(requests.page.further) > 0 {
		v.Sub += fmt.Sprintf("; %s below by group only", plural(more, "request"))
	}
	if d.Changed == 0 {
		v.Verdict = "Nothing changes for " + plural(d.Requests, "request")
	}
	if len(d.Calls) > 0 {
		calls := panelView{Title: "Calls of webhooks", Count: len(d.Calls), Heads: []string{"webhook", baseSide, headSide, "change"}}
		for _, c := range d.Calls {
			calls.Rows = append(calls.Rows, []string{c.Webhook.String(), thousands(c.Base), thousands(c.Head), signed(c.Head - c.Base)})
		}
		v.Panels = append(v.Panels, calls)
	}
	if len(d.Errors) > 0 {
		v.Panels = append(v.Panels, undecidedPanel(d.Errors))
	}
	return p.write(w, v)
}

func classOf(change whatif.Change) string { return cmp.Or(changeClasses[change], "changed") }

// chips are how many requests change in each way, also where not all of them have rows.
func (d *Diff) chips() (all tally) {
	for _, change := range whatif.Changes() {
		all.requests(changeWords[change], classOf(change), d.requests(change))
	}
	return all
}

// stacks are the changes, each with the part of the requests that it happens to.
func (d *Diff) stacks() (all []stackView) {
	for _, change := range whatif.Changes() {
		if n := d.requests(change); n > 0 {
			all = append(all, stack(changeWords[change], thousands(n), d.Requests, outcomeCount{class: classOf(change), n: n}))
		}
	}
	return all
}

func (d *Diff) groupView(g DiffGroup, rows map[string]string) groupView {
	change := whatif.Change(g.Change)
	view := groupView{Lists: lists("users", g.Users, "namespaces", g.Namespaces, "requests", g.Resources)}
	if g.By != nil {
		view.About = append(view.About, join(byWord(change)+" "+g.By.String(), g.By.Source))
	}
	was, is := "", ""
	switch change {
	case whatif.NewlyDenied:
		was, is = "good", "bad"
	case whatif.NewlyAllowed:
		was, is = "bad", "good"
	}
	section := sectionView{More: g.Requests - len(g.Samples)}
	for _, s := range g.Samples {
		section.Samples = append(section.Samples, sampleView{
			Title: s.Request.String(), At: placeView(s.Request.Source), About: s.Request.who(), Row: rows[s.Request.key()],
			Was: sideView{baseSide, sideText(change, s.Base), was}, Is: sideView{headSide, sideText(change, s.Head), is},
		})
	}
	view.Sections = []sectionView{section}
	return view
}

// sideText is what stands on one side of a change; the value of a field is JSON, and how long
// it took is to the nanosecond.
func sideText(c whatif.Change, text string) string {
	if text == "" {
		return "nothing"
	}
	if c == whatif.DifferentObject && json.Valid([]byte(text)) {
		return shorten(flow(json.RawMessage(text)), 400)
	}
	if d, err := time.ParseDuration(text); c == whatif.DifferentLatency && err == nil {
		return briefly(d)
	}
	return text
}

func (d *Diff) groupTitle(g DiffGroup) string {
	switch change := whatif.Change(g.Change); {
	case change == whatif.DifferentCalls && g.By != nil && g.What == "fewer":
		return g.By.String() + " is called less often"
	case change == whatif.DifferentCalls && g.By != nil:
		return g.By.String() + " is called more often"
	case change == whatif.DifferentLatency:
		return takes(g.What)
	}
	return cmp.Or(point(g.What), changeWords[whatif.Change(g.Change)])
}

// point is a message without the words in front of it that say who sends it, which stands
// beside it.
func point(message string) string {
	for _, begins := range []string{"admission webhook ", "ValidatingAdmissionPolicy "} {
		if rest, ok := strings.CutPrefix(message, begins); ok {
			if _, said, ok := strings.Cut(rest, ": "); ok {
				return said
			}
		}
	}
	return message
}
