package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/replay"
	"github.com/admsim/admsim/pkg/whatif"
)

// A groupView is a row about many requests to which the same happens.
type groupView struct {
	About    []string
	Lists    []listView
	Sections []sectionView
	Text     string // laid out already
}

// A listView is how often values occur.
type listView struct {
	Title string
	Items []Count
}

// A sectionView is some of the requests.
type sectionView struct {
	Title, Class string
	Samples      []sampleView
	More         int
}

type sampleView struct {
	Title, About       string
	Message, Note      string
	Old, New           string
	OldLabel, NewLabel string
}

// A panelView is a table below the charts.
type panelView struct {
	Title string
	Heads []string
	Rows  [][]string
}

// mostListed is how many values of a list are shown.
const mostListed = 30

// group adds a row about many requests.
func (p *htmlPage) group(outcome, class, name, note string, requests int, good bool, view groupView) error {
	p.tally.requests(outcome, class, requests)
	return p.row(rowView{
		ID: p.nextID(), Outcome: outcome, Class: class, Good: good, Name: name, Note: note,
		Took: manyOf(requests, "request"), Micros: int64(requests),
	}, "group", view, false)
}

// The classes of changes: what is lost, what is let through, and the rest.
var changeClasses = map[whatif.Change]string{whatif.NewlyDenied: "denied", whatif.NewlyAllowed: "admitted"}

func (d *Diff) html(w io.Writer, o Options) error {
	p := &htmlPage{command: "diff", noun: "group", options: o}
	for _, g := range d.Groups {
		change := whatif.Change(g.Change)
		view := groupView{Lists: lists("users", g.Users, "namespaces", g.Namespaces, "requests", g.Resources)}
		note := ""
		if g.By != nil {
			note = g.By.words
			view.About = append(view.About, join(byWord(change)+" "+g.By.words, g.By.Source))
		}
		section := sectionView{More: g.Requests - len(g.Samples)}
		for _, s := range g.Samples {
			section.Samples = append(section.Samples, sampleView{
				Title: s.Request.words, About: s.Request.about(), OldLabel: d.Base, NewLabel: d.Head, Old: s.Base, New: s.Head,
			})
		}
		view.Sections = []sectionView{section}
		class := cmp.Or(changeClasses[change], "changed")
		if err := p.group(changeWords[change], class, d.groupTitle(g), note, g.Requests, change != whatif.NewlyDenied, view); err != nil {
			return err
		}
	}
	v := pageView{
		Good:    d.Changed+d.Undecided == 0,
		Verdict: fmt.Sprintf("%s of %s changed", thousands(d.Changed), manyOf(d.Requests, "request")),
		Sub:     fmt.Sprintf("from %s to %s%s", d.Base, d.Head, d.undecided()),
	}
	if d.Changed == 0 {
		v.Verdict = "Nothing changes for " + manyOf(d.Requests, "request")
	}
	if len(d.Calls) > 0 {
		calls := panelView{Title: "Calls of webhooks", Heads: []string{"webhook", d.Base, d.Head, "change"}}
		for _, c := range d.Calls {
			calls.Rows = append(calls.Rows, []string{c.Webhook.words, thousands(c.Base), thousands(c.Head), signed(c.Head - c.Base)})
		}
		v.Panels = append(v.Panels, calls)
	}
	if len(d.Errors) > 0 {
		v.Panels = append(v.Panels, undecidedPanel(d.Errors))
	}
	return p.write(w, v)
}

func (d *Diff) groupTitle(g DiffGroup) string {
	switch change := whatif.Change(g.Change); {
	case change == whatif.DifferentCalls && g.By != nil && g.What == "fewer":
		return g.By.words + " is called less often"
	case change == whatif.DifferentCalls && g.By != nil:
		return g.By.words + " is called more often"
	case change == whatif.DifferentLatency:
		return "takes " + g.What
	}
	return cmp.Or(g.What, changeWords[whatif.Change(g.Change)])
}

func undecidedPanel(all []DiffError) panelView {
	p := panelView{Title: "Could not be answered", Heads: []string{"request", "why"}}
	for _, e := range all {
		p.Rows = append(p.Rows, []string{e.Request.words, e.Error})
	}
	return p
}

func lists(titled ...any) (all []listView) {
	for i := 0; i < len(titled); i += 2 {
		items := titled[i+1].([]Count)
		if len(items) > 1 || len(items) == 1 && items[0].Value != "" {
			all = append(all, listView{titled[i].(string), items[:min(len(items), mostListed)]})
		}
	}
	return all
}

func (o *Outage) html(w io.Writer, options Options) error {
	p := &htmlPage{command: "outage", noun: "situation", options: options}
	for _, d := range o.Deadlocks {
		text := &page{}
		text.deadlock(d)
		services := make([]string, len(d.Links))
		for i, l := range d.Links {
			services[i] = l.Service
		}
		row := rowView{ID: p.nextID(), Outcome: "deadlock", Class: "denied", Name: "Service " + strings.Join(services, ", "), Note: "once it is down, it does not come up again"}
		if err := p.row(row, "group", groupView{Text: strings.TrimLeft(text.String(), "\n")}, false); err != nil {
			return err
		}
	}
	failing := 0
	for _, one := range o.Outages {
		if one.Fail.Requests > 0 {
			failing++
		}
		if err := p.situation(one); err != nil {
			return err
		}
	}
	if o.Budget != nil {
		text := &page{}
		o.Budget.text(text)
		over := o.Budget.Over > 0
		row := rowView{ID: p.nextID(), Outcome: "time", Class: "plain", Name: inSeconds(o.Budget.Sum.Duration) + " is how long webhooks may take at most", Note: "a request has " + inSeconds(o.Budget.Limit.Duration), Good: !over}
		if err := p.row(row, "group", groupView{Text: strings.TrimLeft(text.String(), "\n")}, false); err != nil {
			return err
		}
	}
	v := pageView{Good: failing+len(o.Deadlocks) == 0, Sub: o.title()}
	switch {
	case len(o.Deadlocks) > 0:
		v.Verdict = plural(len(o.Deadlocks), "deadlock")
	case failing > 0:
		v.Verdict = fmt.Sprintf("Requests fail in %d of %s", failing, plural(len(o.Outages), "situation"))
	default:
		v.Verdict = "No request fails"
	}
	if len(o.Errors) > 0 {
		v.Panels = append(v.Panels, undecidedPanel(o.Errors))
	}
	return p.write(w, v)
}

func (p *htmlPage) situation(o OutageOf) error {
	outcome, class, good := "harmless", "admitted", true
	n := 0
	switch {
	case o.Fail.Requests > 0:
		outcome, class, good, n = "requests fail", "denied", false, o.Fail.Requests
	case o.Unchecked.Requests > 0:
		outcome, class, n = "unchecked", "changed", o.Unchecked.Requests
	case o.Delayed.Requests > 0:
		outcome, class, n = "delayed", "plain", o.Delayed.Requests
	}
	view := groupView{}
	for _, t := range o.Troubles {
		view.About = append(view.About, join(fmt.Sprintf("%s: failurePolicy %s, timeout %ds", t.words(), t.FailurePolicy, t.TimeoutSeconds), t.Webhook.Source))
	}
	for _, s := range []struct {
		what, class string
		Losses
	}{{"fail", "denied", o.Fail}, {"pass unchecked", "changed", o.Unchecked}, {"take longer", "plain", o.Delayed}} {
		if s.Requests > 0 {
			title := manyOf(s.Requests, "request") + " " + pluralVerb(s.Requests, s.what)
			view.Sections = append(view.Sections, lossSection(title, s.class, s.Losses))
		}
	}
	return p.group(outcome, class, o.title(), fmt.Sprintf("%s asked about, up to %s", thousands(o.Asked), o.Longest.Duration), n, good, view)
}

func lossSection(title, class string, l Losses) sectionView {
	v := sectionView{Title: title, Class: class, More: l.Requests - len(l.Samples)}
	for _, s := range l.Samples {
		one := sampleView{Title: s.Request.words, About: s.Request.about(), Message: s.Message}
		if s.Took.Duration > 0 {
			one.About = strings.TrimSpace(one.About + " after " + s.Took.Duration.String())
		}
		if s.Ignored {
			one.Note = "though failurePolicy is Ignore: waiting took all the time that the request had"
		}
		v.Samples = append(v.Samples, one)
	}
	return v
}

// writeReplayHTML writes what came of a recording as a page, a row for each sort of
// differences.
func writeReplayHTML(w io.Writer, s replay.Summary, o Options) error {
	p := &htmlPage{command: "replay", noun: "difference", options: o}
	for _, name := range byCount(s.Kinds, func(k *replay.Kind) int { return k.Requests }) {
		k := s.Kinds[name]
		section := sectionView{More: k.Requests - len(k.Samples)}
		for _, one := range k.Samples {
			sample := sampleView{Title: one.Request, About: one.At, OldLabel: "recorded", NewLabel: "admsim", Old: orNothing(one.Recorded), New: orNothing(one.Simulated)}
			if one.User != "" {
				sample.About += " by " + one.User
			}
			if one.Webhook != "" {
				sample.Note = "webhook " + one.Webhook
			}
			section.Samples = append(section.Samples, sample)
		}
		row := rowView{
			ID: p.nextID(), Outcome: string(k.What), Class: "denied", Name: cmp.Or(k.Path, string(k.What)),
			Took: manyOf(k.Requests, "request"), Micros: int64(k.Requests),
		}
		if err := p.row(row, "group", groupView{Sections: []sectionView{section}}, false); err != nil {
			return err
		}
	}
	for _, one := range []struct {
		outcome replay.Outcome
		class   string
	}{{replay.Agrees, "admitted"}, {replay.Differs, "denied"}, {replay.CannotTell, "changed"}, {replay.Broken, "failed"}, {replay.Skipped, "skipped"}} {
		p.tally.requests(string(one.outcome), one.class, s.Outcomes[one.outcome])
	}
	agree, ran := s.Outcomes[replay.Agrees], s.Ran()
	v := pageView{Good: agree == ran && s.Outcomes[replay.Broken] == 0, Sub: manyOf(s.Total, "record"), Verdict: "Nothing ran"}
	if ran > 0 {
		v.Verdict = fmt.Sprintf("%s of %s agree with what was recorded", thousands(agree), manyOf(ran, "request"))
		v.Sub += fmt.Sprintf(", %s %% agree", percent(agree, ran))
	}
	v.Panels = replayPanels(s)
	return p.write(w, v)
}

func replayPanels(s replay.Summary) (all []panelView) {
	for _, t := range []struct {
		by   string
		rows map[string]*replay.Count
	}{{"Webhooks", s.Webhooks}, {"Resources", s.Resources}, {"Namespaces", s.Namespaces}, {"Users", s.Users}} {
		p := panelView{Title: t.by, Heads: []string{"name", "differ", "of"}}
		for i, name := range byCount(t.rows, func(c *replay.Count) int { return c.Differ }) {
			if i == mostListed {
				p.Rows = append(p.Rows, []string{fmt.Sprintf("and %d others", len(t.rows)-i), "", ""})
				break
			}
			p.Rows = append(p.Rows, []string{orNone(name), thousands(t.rows[name].Differ), thousands(t.rows[name].Ran)})
		}
		if len(p.Rows) > 0 {
			all = append(all, p)
		}
	}
	for _, r := range []struct {
		title  string
		counts map[string]int
	}{{"Not run, because", s.Skipped}, {"Cannot tell, because", s.CannotTell}, {"Ran, though this is not known", s.Unknown}} {
		p := panelView{Title: r.title, Heads: []string{"reason", "records"}}
		for _, name := range slices.SortedFunc(maps.Keys(r.counts), func(a, b string) int {
			return cmp.Or(r.counts[b]-r.counts[a], strings.Compare(a, b))
		}) {
			p.Rows = append(p.Rows, []string{name, thousands(r.counts[name])})
		}
		if len(p.Rows) > 0 {
			all = append(all, p)
		}
	}
	return all
}
