package pages

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// A deadlockView is a set of backends that wait for each other, and the ways out.
type deadlockView struct {
	Links    []linkView
	Ways     []wayView
	Commands string
}

type linkView struct {
	Service, Next string
	Workloads     string
	Needs         []document.DeadlockNeed
}

type wayView struct{ Say, Text string }

// A budgetView is how long webhooks may take together.
type budgetView struct {
	Say, Worst, About string
	Time              *timeline
}

// WriteWhatif writes the page of an answer that has one.
func WriteWhatif(w io.Writer, answer document.Whatif, o document.Options) error {
	switch answer := answer.(type) {
	case *document.Outage:
		return outagePage(answer, w, o)
	case *document.Check:
		return checkPage(answer, w, o)
	case *document.Latency:
		return latencyPage(answer, w, o)
	case *document.Survey:
		return surveyPage(answer, w, o)
	case *document.Equivalence:
		return equivalencePage(answer, w, o)
	}
	return errors.New("this answer cannot be written as html")
}

// outagePage writes a page with a row for each deadlock and each situation.
func outagePage(o *document.Outage, w io.Writer, options document.Options) error {
	p := &htmlPage{command: "outage", noun: "finding", options: options}
	for _, d := range o.Deadlocks {
		services := make([]string, len(d.Links))
		for i, l := range d.Links {
			services[i] = l.Service
		}
		row := rowView{ID: p.nextID(), Outcome: "deadlock", Class: "denied", Name: "Service " + strings.Join(services, ", "), Note: "once down, it does not come up again"}
		p.row(row, viewOfDeadlock(d), false)
	}
	failing := 0
	asked, never := o.Situations()
	for _, one := range asked {
		if one.Fail.Requests > 0 {
			failing++
		}
		p.situation(one)
	}
	if len(never) > 0 {
		view := groupView{About: []string{document.NeverAskedHint}}
		for _, one := range never {
			view.About = append(view.About, one.Title())
		}
		p.group("never asked", "skipped", words.Plural(len(never), "situation")+" "+document.NeverAsked, "", 0, true, view)
	}
	if n := o.Denied.Requests; n > 0 {
		view := groupView{Sections: []sectionView{lossSection("", "", o.Denied)}}
		p.group("denied anyway", "skipped", "while all webhooks answer", "", n, true, view)
	}
	if o.Budget != nil {
		row := rowView{
			ID: p.nextID(), Outcome: "time", Class: "plain", Good: o.Budget.Over == 0,
			Name: document.InSeconds(o.Budget.Sum.Duration) + " is how long webhooks may take at most", Note: "a request has " + document.InSeconds(o.Budget.Limit.Duration),
		}
		if !row.Good {
			row.Class = "denied"
		}
		p.row(row, viewOfBudget(o.Budget), false)
	}
	v := pageView{
		Good: failing+len(o.Deadlocks) == 0, Sub: strings.TrimSpace(o.Title() + ". " + o.Note),
		Stacked: "What happens to requests while", Stacks: outageStacks(o), Empty: "There are no webhooks that could be in trouble.",
		Legend: []share{{Name: "fail", Class: "denied"}, {Name: "pass unchecked", Class: "changed"}, {Name: "take longer", Class: "plain"}},
	}
	switch {
	case len(o.Deadlocks) > 0:
		v.Verdict = words.Plural(len(o.Deadlocks), "deadlock")
	case failing > 0:
		v.Verdict = fmt.Sprintf("Requests fail in %d of %s", failing, words.Plural(len(o.Outages), "situation"))
	case len(asked) == 0 && len(never) > 0:
		v.Verdict = "No request asks a webhook in trouble"
	default:
		v.Verdict = "No request fails"
	}
	if about := o.AboutAssumed(); about != "" {
		v.Sub += " Assumed: " + about + "; " + document.AssumedHint + "."
	}
	if len(o.Errors) > 0 {
		v.Panels = append(v.Panels, undecidedPanel(o.Errors))
	}
	return p.write(w, v)
}

func (v deadlockView) rich(w *markup.Writer) {
	w.Put("<p>Once all of this is down, none of it comes up again.</p>\n" + `<ol class="links">`)
	for _, l := range v.Links {
		w.Put(`<li><p><b>Service {}</b>`, l.Service)
		w.PutAny(` <span class="dim">in front of {}</span>`, l.Workloads)
		w.Put(`</p><ul>`)
		for _, n := range l.Needs {
			w.Put(`<li>{} needs <b>{}</b>`, n.What, n.Webhook.String())
			w.PutAny(` <code>{}</code>`, n.Webhook.Source)
			w.Put(`</li>`)
		}
		w.Put(`</ul><p class="dim">which is Service {}</p></li>`, l.Next)
	}
	w.Put("</ol>\n<h3>To break it</h3>")
	for _, way := range v.Ways {
		w.Put(`<p>{}</p><pre class="object">{}</pre>`, way.Say, way.Text)
	}
	w.Put("\n"+`<p>Where it has happened already, this lets requests pass until it is installed again:</p><pre class="object">{}</pre>`, v.Commands)
}

func (v budgetView) rich(w *markup.Writer) {
	w.Put(`<p>{} <b>{}</b> <span class="dim">{}</span></p>`, v.Say, v.Worst, v.About)
	v.Time.rich(w)
}

// outageStacks returns the worst situations.
func outageStacks(o *document.Outage) (all []stackView) {
	worst, _ := o.Situations()
	slices.SortStableFunc(worst, func(a, b document.OutageOf) int {
		return cmp.Or(b.Fail.Requests-a.Fail.Requests, b.Unchecked.Requests-a.Unchecked.Requests, b.Delayed.Requests-a.Delayed.Requests)
	})
	for _, one := range worst[:min(len(worst), maxStacks)] {
		all = append(all, stack(one.Title(), countedOutage(one, o.Requests), o.Requests,
			outcomeCount{"fail", "denied", one.Fail.Requests}, outcomeCount{"unchecked", "changed", one.Unchecked.Requests}, outcomeCount{"delayed", "plain", one.Delayed.Requests}))
	}
	return all
}

// countedOutage describes what a bar shows.
func countedOutage(o document.OutageOf, whole int) string {
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{o.Fail.Requests, words.PluralVerb(o.Fail.Requests, "fail")}, {o.Unchecked.Requests, "unchecked"}, {o.Delayed.Requests, "longer"}} {
		if part.n > 0 {
			parts = append(parts, words.Thousands(part.n)+" "+part.what)
		}
	}
	if parts == nil {
		parts = []string{"0"}
	}
	return strings.Join(parts, ", ") + " of " + words.Thousands(whole)
}

func viewOfDeadlock(d document.Deadlock) deadlockView {
	v := deadlockView{Commands: strings.Join(d.Commands(), "\n")}
	for i, l := range d.Links {
		v.Links = append(v.Links, linkView{l.Service, d.Links[(i+1)%len(d.Links)].Service, strings.Join(l.Workloads, ", "), l.Needs})
	}
	for _, way := range document.Ways(d) {
		v.Ways = append(v.Ways, wayView{way.Say, strings.Join(way.Yaml, "\n")})
	}
	return v
}

// viewOfBudget returns a view with the webhooks of the worst request along a line, each as long as it may take.
func viewOfBudget(b *document.Budget) budgetView {
	v := budgetView{Say: "Enough for the worst request:", Worst: b.Worst.String(), About: b.Worst.About()}
	if b.Over > 0 {
		v.Say = fmt.Sprintf("If they hang, %s %s, with any failurePolicy. The worst:", words.Plural(b.Over, "request"), words.PluralVerb(b.Over, "fail"))
	}
	x := axisTo(b.Sum.Duration, 0, b.Limit.Duration)
	v.Time = &timeline{axis: x}
	at := time.Duration(0)
	group := func(name string, all []document.TimeoutOf, beside bool) {
		g := laneGroup{Name: name}
		for _, t := range all {
			one := lane{Name: t.Webhook.String() + document.RoundWords(t.Webhook.Round), Outcome: "plain", bar: x.bar(at, t.Timeout.Duration), Took: document.InSeconds(t.Timeout.Duration), Beside: beside}
			if at+t.Timeout.Duration > b.Limit.Duration && b.Limit.Duration > 0 {
				one.Outcome = "denied"
			}
			g.Lanes = append(g.Lanes, one)
			if !beside {
				at += t.Timeout.Duration
			}
		}
		if len(all) > 0 {
			v.Time.Groups = append(v.Time.Groups, g)
		}
	}
	group("one after the other", b.Serial, false)
	group("side by side", b.Parallel, len(b.Parallel) > 1)
	return v
}

func (p *htmlPage) situation(o document.OutageOf) {
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
		view.About = append(view.About, words.Join(t.Words()+": "+t.Limits(), t.Webhook.Source))
	}
	for _, s := range []struct {
		what, class string
		document.Losses
	}{{"fail", "denied", o.Fail}, {"pass unchecked", "changed", o.Unchecked}, {"take longer", "plain", o.Delayed}} {
		if s.Requests > 0 {
			title := words.Plural(s.Requests, "request") + " " + words.PluralVerb(s.Requests, s.what)
			view.Sections = append(view.Sections, lossSection(title, s.class, s.Losses))
		}
	}
	note := words.Thousands(o.Asked) + " asked about"
	if o.Longest.Duration > 0 {
		note += ", up to " + words.Briefly(o.Longest.Duration)
	}
	p.group(outcome, class, o.Title(), note, n, good, view)
}

func lossSection(title, class string, l document.Losses) sectionView {
	v := sectionView{Title: title, Class: class, More: l.Requests - len(l.Samples)}
	for _, s := range l.Samples {
		one := sampleView{Title: s.Request.String(), At: placeView(s.Request.Source), About: s.Request.Who(), Message: s.Message}
		if s.Took.Duration > 0 {
			one.About = strings.TrimSpace(one.About + " after " + words.Briefly(s.Took.Duration))
		}
		if s.Ignored {
			one.Note = "though failurePolicy is Ignore: waiting took all the time that the request had"
		}
		v.Samples = append(v.Samples, one)
	}
	return v
}
