package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/replay"
)

// writeReplayHTML writes what came of a recording as a page: a row for each sort of
// differences, then one for each request.
func writeReplayHTML(w io.Writer, s replay.Summary, requests ReplayRequests, o Options) error {
	p := &htmlPage{command: "replay", noun: "row", options: o, all: "any difference"}
	for _, name := range byCount(s.Kinds, func(k *replay.Kind) int { return k.Requests }) {
		if err := p.kind(s.Kinds[name]); err != nil {
			return err
		}
	}
	for _, l := range requests.lines {
		if err := p.replayed(l); err != nil {
			return err
		}
	}
	for _, one := range []struct {
		outcome replay.Outcome
		class   string
	}{{replay.Agrees, "admitted"}, {replay.Differs, "denied"}, {replay.CannotTell, "changed"}, {replay.Broken, "failed"}, {replay.Skipped, "skipped"}} {
		p.tally.requests(spaced(string(one.outcome)), one.class, s.Outcomes[one.outcome])
	}
	agree, ran := s.Outcomes[replay.Agrees], s.Ran()
	v := pageView{Good: agree == ran && s.Outcomes[replay.Broken] == 0, Sub: manyOf(s.Total, "record"), Verdict: "Nothing ran"}
	if ran > 0 {
		v.Verdict = fmt.Sprintf("%s of %s agree with what was recorded", thousands(agree), manyOf(ran, "request"))
		v.Sub += fmt.Sprintf(", %s %% agree", percent(agree, ran))
	}
	if more := s.Outcomes[replay.Differs] + s.Outcomes[replay.CannotTell] - len(requests.lines); more > 0 {
		v.Sub += fmt.Sprintf("; %s below by sort only", manyOf(more, "request"))
	}
	v.Panels, v.Empty = replayPanels(s), "Nothing differs from what was recorded."
	return p.write(w, v)
}

// kind adds a row for a sort of differences, with samples.
func (p *htmlPage) kind(k *replay.Kind) error {
	section := sectionView{More: k.Requests - len(k.Samples)}
	for _, one := range k.Samples {
		sample := sampleView{Title: one.Request, About: one.At, Was: recorded(one.Recorded), Is: simulated(one.Simulated)}
		if one.User != "" {
			sample.About += " by " + one.User
		}
		if one.Webhook != "" {
			sample.Note = "webhook " + one.Webhook
		}
		section.Samples = append(section.Samples, sample)
	}
	return p.row(rowView{
		ID: p.nextID(), Outcome: "difference", Class: "plain", Name: strings.TrimSpace(string(k.What) + " " + k.Path),
		By: string(k.What), Took: manyOf(k.Requests, "request"), Micros: int64(k.Requests),
	}, "group", groupView{Sections: []sectionView{section}}, false)
}

// replayed adds a row for a request, with all its differences.
func (p *htmlPage) replayed(l *replay.Line) error {
	view := groupView{About: []string{join(l.Position().String(), "by "+l.User)}}
	row := rowView{ID: p.nextID(), Outcome: spaced(string(l.Outcome)), Class: "denied", Name: l.Asked()}
	if l.Outcome == replay.CannotTell {
		row.Class, row.Good = "changed", true
	}
	if l.Reason != nil {
		row.Note = string(l.Reason.Code)
		view.About = append(view.About, strings.TrimSuffix(row.Note+": "+l.Reason.Detail, ": "))
	}
	if len(l.Webhooks) > 0 {
		view.About = append(view.About, "webhooks called: "+strings.Join(l.Webhooks, ", "))
	}
	for _, u := range l.Unknown {
		view.About = append(view.About, strings.TrimSuffix("not known: "+string(u.Code)+": "+u.Detail, ": "))
	}
	var section sectionView
	for _, d := range l.Differences {
		what := strings.TrimSpace(string(d.What) + " " + d.Path)
		if row.Note == "" {
			row.Note, row.By = what, string(d.What)
		}
		sample := sampleView{Title: what, Was: recorded(differing(d.Recorded)), Is: simulated(differing(d.Simulated))}
		if d.Webhook != "" {
			sample.Note = "webhook " + d.Webhook
		}
		section.Samples = append(section.Samples, sample)
	}
	if n := len(l.Differences); n > 1 {
		row.Note += fmt.Sprintf(", and %d more", n-1)
	}
	view.Sections = []sectionView{section}
	return p.row(row, "group", view, false)
}

func recorded(text string) sideView  { return sideView{Label: "recorded", Text: orNothing(text)} }
func simulated(text string) sideView { return sideView{Label: "admsim", Text: orNothing(text)} }

// differing is one of two values.
func differing(value json.RawMessage) string {
	if len(value) == 0 {
		return ""
	}
	return shorten(flow(value), 400)
}

// spaced is the name of an outcome as people write it.
func spaced(name string) string { return strings.ReplaceAll(name, "-", " ") }

func replayPanels(s replay.Summary) (all []panelView) {
	for _, t := range []struct {
		by   string
		rows map[string]*replay.Count
	}{{"Webhooks", s.Webhooks}, {"Resources", s.Resources}, {"Namespaces", s.Namespaces}, {"Users", s.Users}} {
		p := panelView{Title: t.by, Count: len(t.rows), Heads: []string{"name", "differ", "of"}}
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
		p := panelView{Title: r.title, Count: len(r.counts), Heads: []string{"reason", "records"}}
		for _, name := range slices.SortedFunc(maps.Keys(r.counts), func(a, b string) int {
			return cmp.Or(r.counts[b]-r.counts[a], strings.Compare(a, b))
		}) {
			p.Rows = append(p.Rows, []string{name, thousands(r.counts[name])})
		}
		if len(p.Rows) > 0 {
			all = append(all, p)
		}
	}
	if len(s.Broken) > 0 {
		p := panelView{Title: "Could not be read", Words: true, Count: s.Outcomes[replay.Broken], Heads: []string{"record", "why"}}
		for _, one := range s.Broken {
			p.Rows = append(p.Rows, []string{one.At, one.Why})
		}
		all = append(all, p)
	}
	return all
}
