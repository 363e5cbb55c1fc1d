package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/whatif"
)

// A Diff is what changes for the requests of a corpus from one world to another.
type Diff struct {
	TypeMeta
	Base string `json:"base"` // what the user calls the worlds
	Head string `json:"head"`

	Requests  int `json:"requests"`
	Changed   int `json:"changed"`
	Undecided int `json:"undecided,omitempty"`

	Groups []DiffGroup `json:"groups"`
	Calls  []DiffCalls `json:"calls,omitempty"`
	Errors []DiffError `json:"errors,omitempty"` // why the first of the undecided are

	byChange map[whatif.Change]int // requests; one can be in several
}

// A DiffGroup is changes that are about the same.
type DiffGroup struct {
	Change string `json:"change"`
	What   string `json:"what,omitempty"` // the field, with * for positions in lists; the message, without names and numbers
	By     *Actor `json:"by,omitempty"`

	Requests   int     `json:"requests"`
	Users      []Count `json:"users,omitempty"`
	Namespaces []Count `json:"namespaces,omitempty"`
	Resources  []Count `json:"resources,omitempty"`

	Samples []DiffSample `json:"samples"`
}

// A Count is how often a value occurs.
type Count struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// A DiffSample is one request of a group.
type DiffSample struct {
	Request Sample `json:"request"`
	Base    string `json:"base,omitempty"` // of a field its value as JSON
	Head    string `json:"head,omitempty"`
}

// DiffCalls are how often a webhook is called in each of the worlds.
type DiffCalls struct {
	Webhook Actor `json:"webhook"`
	Base    int   `json:"base"`
	Head    int   `json:"head"`
}

// A DiffError is a request that could not be answered in one of the worlds.
type DiffError struct {
	Request Sample `json:"request"`
	Error   string `json:"error"`
}

// requests is how many requests change so; one can be counted for several changes.
func (d *Diff) requests(c whatif.Change) int { return d.byChange[c] }

// NewDiff puts what changes into the form that is shown.
func NewDiff(base, head string, r *whatif.DiffResult) *Diff {
	d := &Diff{
		TypeMeta: TypeMeta{APIVersion, DiffKind},
		Base:     base, Head: head,
		Requests: r.Requests, Changed: r.Changed, Undecided: r.Undecided,
		Groups: []DiffGroup{}, byChange: r.ByChange,
	}
	for _, g := range r.Groups {
		shown := DiffGroup{
			Change: string(g.Change), What: g.What, By: actorIn(g.By), Requests: g.Requests,
			Users: countsOf(g.Users), Namespaces: countsOf(g.Namespaces), Resources: countsOf(g.Resources),
		}
		for _, s := range g.Samples {
			shown.Samples = append(shown.Samples, DiffSample{sampleOf(s.Request), s.Base, s.Head})
		}
		d.Groups = append(d.Groups, shown)
	}
	for _, c := range r.Calls {
		d.Calls = append(d.Calls, DiffCalls{actorOf(c.Webhook), c.Base, c.Head})
	}
	for _, e := range r.Errors {
		d.Errors = append(d.Errors, DiffError{sampleOf(e.Request), e.Err.Error()})
	}
	return d
}

// mostCounted values are told apart in a report; a group of its own for each of many webhooks
// would else have a list of all namespaces each.
const mostCounted = 50

func countsOf(all []whatif.Count) (shown []Count) {
	others := 0
	for _, c := range all {
		if len(shown) == mostCounted || c.Value == whatif.Others {
			others += c.Count
			continue
		}
		shown = append(shown, Count(c))
	}
	if others > 0 {
		shown = append(shown, Count{whatif.Others, others})
	}
	return shown
}

// A DiffRequest is one request that changes, as a line of JSON.
type DiffRequest struct {
	TypeMeta
	Request     Sample       `json:"request"`
	Differences []Difference `json:"differences"`
}

// A Difference is one thing that is not the same for a request.
type Difference struct {
	Change string `json:"change"`
	What   string `json:"what,omitempty"`
	By     *Actor `json:"by,omitempty"`
	Base   string `json:"base,omitempty"`
	Head   string `json:"head,omitempty"`
}

// WriteDiffRequest writes one request that changes as a line of JSON.
func WriteDiffRequest(w io.Writer, c whatif.Changed) error {
	line := DiffRequest{TypeMeta: TypeMeta{APIVersion, DiffRequestKind}, Request: sampleOf(c.Request)}
	for _, d := range c.Differences {
		line.Differences = append(line.Differences, Difference{string(d.Change), d.What, actorIn(d.By), d.Base, d.Head})
	}
	return encode(w, line)
}

// The changes in words.
var changeWords = map[whatif.Change]string{
	whatif.NewlyDenied:      "newly denied",
	whatif.NewlyAllowed:     "newly allowed",
	whatif.DifferentObject:  "different object",
	whatif.DifferentMessage: "different message",
	whatif.DifferentWarning: "different warnings",
	whatif.DifferentCalls:   "different calls",
	whatif.DifferentLatency: "different latency",
}

func (p *page) changeColour(c whatif.Change) string {
	switch c {
	case whatif.NewlyDenied:
		return p.bad
	case whatif.NewlyAllowed:
		return p.good
	}
	return p.changed
}

func (d *Diff) text(p *page, verbose bool) {
	last := ""
	for _, g := range d.Groups {
		if g.Change != last {
			if last != "" {
				p.line(0, "")
			}
			last = g.Change
			change := whatif.Change(g.Change)
			p.line(0, p.paint(p.changeColour(change), changeWords[change]))
		}
		d.group(p, g, verbose)
	}
	if len(d.Groups) > 0 {
		p.line(0, "")
	}
	d.callsText(p)
	for _, e := range d.Errors {
		p.labelled(0, p.bad, "undecided:", e.Request.String()+": "+e.Error)
	}
	if len(d.Errors) > 0 {
		p.line(0, "")
	}
	p.line(0, fmt.Sprintf("%s of %s changed from %s to %s%s", p.paint(p.bold, thousands(d.Changed)), plural(d.Requests, "request"), d.Base, d.Head, d.undecided()))
}

func (d *Diff) undecided() string {
	if d.Undecided == 0 {
		return ""
	}
	return fmt.Sprintf("; %s could not be answered", plural(d.Undecided, "more request"))
}

func (d *Diff) group(p *page, g DiffGroup, verbose bool) {
	title := g.What
	if g.Change == string(whatif.DifferentCalls) && g.By != nil {
		if g.What == "fewer" {
			title = g.By.String() + " is called less often"
		} else {
			title = g.By.String() + " is called more often"
		}
	} else if g.Change == string(whatif.DifferentLatency) {
		title = takes(g.What)
	}
	p.head(2, title, plural(g.Requests, "request"))
	if g.By != nil && g.Change != string(whatif.DifferentCalls) {
		p.paragraph(4, p.faint, join(byWord(whatif.Change(g.Change))+" "+g.By.String(), g.By.Source))
	}
	if g.Requests > 1 || verbose { // else the sample says it
		p.counts(4, "users", g.Users, verbose)
		p.counts(4, "namespaces", g.Namespaces, verbose)
		p.counts(4, "requests", g.Resources, verbose)
	}
	for i, s := range g.Samples {
		if i > 0 && !verbose && g.Samples[0].Base == s.Base && g.Samples[0].Head == s.Head {
			continue // it says nothing new
		}
		p.sample(4, s.Request)
		p.side(6, "-", p.bad, whatif.Change(g.Change), s.Base)
		p.side(6, "+", p.good, whatif.Change(g.Change), s.Head)
	}
}

// takes is a difference in latency, longer or shorter, in words.
func takes(what string) string {
	if what == "shorter" {
		what = "less long"
	}
	return "takes " + what
}

func byWord(c whatif.Change) string {
	if c == whatif.DifferentObject {
		return "set by"
	}
	return "by"
}

func (p *page) side(indent int, mark, colour string, c whatif.Change, text string) {
	if text != "" {
		p.labelled(indent, colour, mark, p.clean(sideText(c, text)))
	}
}

// clean is text on one line.
func (p *page) clean(text string) string { return oneLine(text) }

// counts writes how often values occur, the most frequent first.
func (p *page) counts(indent int, what string, all []Count, verbose bool) {
	most := mostCounts
	if verbose {
		most = len(all)
	}
	if parts := countWords(all, most); len(parts) > 0 {
		p.listed(strings.Repeat(" ", indent)+p.paint(p.faint, padded(what, 12)), indent+12, "", parts)
	}
}

// mostCounts values are named, unless verbose.
const mostCounts = 5

// countWords is how often each of so many values occurs; nothing where there is but the empty one.
func countWords(all []Count, most int) (parts []string) {
	if len(all) == 1 && all[0].Value == "" {
		return nil
	}
	for i, c := range all {
		if i == most {
			return append(parts, fmt.Sprintf("and %d more", len(all)-most))
		}
		parts = append(parts, oneLine(cmp.Or(c.Value, "(none)")+" "+thousands(c.Count)))
	}
	return parts
}

// callsText is a table of the webhooks whose calls become more or fewer.
func (d *Diff) callsText(p *page) {
	var rows []DiffCalls
	wide := len("calls of webhooks")
	for _, c := range d.Calls {
		if c.Base != c.Head {
			rows = append(rows, c)
			wide = max(wide, columns(c.Webhook.String())+2)
		}
	}
	if len(rows) == 0 {
		return
	}
	p.line(0, p.paint(p.bold, padded("calls of webhooks", wide))+left("base", 12)+left("head", 12)+left("change", 12))
	for _, c := range rows {
		p.line(0, padded("  "+c.Webhook.String(), wide)+left(thousands(c.Base), 12)+left(thousands(c.Head), 12)+left(signed(c.Head-c.Base), 12))
	}
	p.line(0, "")
}

func signed(n int) string {
	if n > 0 {
		return "+" + thousands(n)
	}
	return thousands(n)
}
