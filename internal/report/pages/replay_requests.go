package pages

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// ReplayRows are requests of a recording, for the page of a replay: those that differ and those that are undecided,
// with all that is known, and those that agree in short form.
type ReplayRows struct{ RequestRows }

// NewReplayRows returns an empty set of rows.
func NewReplayRows(o document.Options) *ReplayRows {
	return &ReplayRows{newRequestRows("replay", "any difference", o)}
}

// The kinds of requests, in the order of the page.
const (
	whatDiffers  = "What differs"
	thatDiffer   = "Requests that differ"
	thatNobody   = "Requests that admsim cannot tell"
	thatAgree    = "Requests that agree, in short"
	recordedSide = "recorded"
	admsimSide   = "admsim"
)

var replaySections = []struct {
	title   string
	outcome lines.Outcome
	class   string
	more    string // about further requests, which are only counted
}{
	{thatDiffer, lines.Differs, "denied", "more that differ"},
	{thatNobody, lines.CannotTell, "changed", "more that admsim cannot tell"},
	{thatAgree, lines.Agrees, "admitted", "more that agree"},
}

// Make returns the row of a request. It returns nil if the record is not a request, or if the page has enough rows. It
// may be called concurrently. The account is nil if nothing but the line is known.
func (r *ReplayRows) Make(l *lines.Line, a *lines.Account) (*RequestRow, error) {
	row, err := r.row(l, a)
	if err != nil || a == nil || !l.Outcome.Ran() {
		return row, err
	}
	if row == nil {
		row = &RequestRow{only: true}
	}
	row.counted = &a.Counts
	return row, nil
}

func (r *ReplayRows) row(l *lines.Line, a *lines.Account) (*RequestRow, error) {
	for _, section := range replaySections {
		if section.outcome == l.Outcome && r.isFull(section.title) {
			return nil, nil
		}
	}
	at, from := placeView(l.Position().String()), "by "+l.User
	var about []string
	row := rowView{Outcome: spaced(string(l.Outcome)), Name: l.Asked()}
	if len(l.Webhooks) > 0 {
		about = append(about, "webhooks called: "+strings.Join(l.Webhooks, ", "))
	}
	for _, u := range l.Unknown {
		about = append(about, unknown(u.Code, u.Detail))
	}
	switch l.Outcome {
	case lines.Agrees:
		row.Section, row.Class, row.Good = thatAgree, "admitted", true
		row.Note = answerText(l.Code)
		return newRequestRow(l, row, &requestView{At: at, From: from, About: append(about, "both answer "+row.Note)}), nil
	case lines.CannotTell:
		row.Section, row.Class, row.Good, row.Note = thatNobody, "changed", true, string(l.Reason.Code)
		about = append(about, strings.TrimSuffix(row.Note+": "+l.Reason.Detail, ": "))
		return newRequestRow(l, row, &requestView{At: at, From: from, About: about}), nil
	case lines.Differs:
		row.Section, row.Class = thatDiffer, "denied"
		view, err := r.differing(l, a)
		if err != nil {
			return nil, err
		}
		view.At, view.From, view.About = at, from, append(about, view.About...)
		if len(view.Sides) > 0 {
			row.Took, row.Micros = words.Took(view.Sides[0].Elapsed.Duration), micros(view.Sides[0].Elapsed.Duration)
		}
		first := l.Differences[0]
		row.Note, row.By = difference(first), string(first.What)
		if n := len(l.Differences); n > 1 {
			row.Note += fmt.Sprintf(", and %d more", n-1)
		}
		return newRequestRow(l, row, view), nil
	}
	return nil, nil
}

func newRequestRow(l *lines.Line, row rowView, view *requestView) *RequestRow {
	return &RequestRow{row: row, body: newRowBody(&markup.Writer{}, view), key: l.Position().String()}
}

func difference(d lines.Difference) string { return strings.TrimSpace(string(d.What) + " " + d.Path) }

// differenceNote says which webhook a difference is about, and why admsim allows what the cluster denied.
func differenceNote(webhook, because string) string {
	if webhook != "" {
		webhook = "webhook " + webhook
	}
	return words.Join(webhook, because)
}

// differing returns the view of a request that differs. Without an account it only shows the differences.
func (r *ReplayRows) differing(l *lines.Line, a *lines.Account) (*requestView, error) {
	v := &requestView{}
	for _, d := range l.Differences {
		sample := sampleView{Title: difference(d), Was: recorded(differing(d.Path, d.Recorded)), Is: simulated(differing(d.Path, d.Simulated)), Note: differenceNote(d.Webhook, d.Because)}
		v.Samples = append(v.Samples, sample)
	}
	if a == nil {
		v.About = append(v.About, "the steps are on the page of the replay itself")
		return v, nil
	}
	result, err := a.Answer()
	if err != nil {
		return nil, err
	}
	shown, err := newResultView(result, nil, r.page.options)
	if err != nil {
		return nil, err
	}
	side := sideResult{admsimSide, shown}
	v.Sides = []sideResult{side}
	v.Verdicts = []verdictView{recordedVerdict(l, result.Result), verdict(admsimSide, result.Result)}
	v.Samples = slices.DeleteFunc(v.Samples, func(s sampleView) bool {
		return slices.Contains([]string{string(lines.Allowed), string(lines.Code), string(lines.Message)}, s.Title)
	})
	v.Beside = recordedBeside(l, a.Calls(), side)
	v.Object, err = recordedObject(a)
	return v, err
}

// recordedVerdict returns what the cluster answered: the same as admsim, except for the differences.
func recordedVerdict(l *lines.Line, simulated *report.Result) verdictView {
	v := verdictView{Label: recordedSide, Good: simulated.Allowed, Words: "Admitted"}
	if !v.Good && simulated.Status != nil {
		v.Message = simulated.Status.Message
	}
	for _, d := range l.Differences {
		switch d.What {
		case lines.Allowed:
			v.Good = string(d.Recorded) == "true"
			v.Message = ""
		case lines.Message:
			v.Message = ""
			_ = json.Unmarshal(d.Recorded, &v.Message) // empty if there was none
		}
	}
	if l.Recorded > 0 {
		v.Answer = answerText(l.Recorded)
		v.Good = l.Recorded < http.StatusBadRequest
	}
	if !v.Good {
		v.Words = "Denied"
	}
	return v
}

// recordedBeside compares what is recorded about webhooks with what admsim did. A log mentions plugins, and webhooks
// that cannot change objects, only if they ended the request.
func recordedBeside(l *lines.Line, calls []lines.Call, side sideResult) *besideView {
	var left, right []action
	for _, d := range side.actions() {
		if called := d.hook != nil && d.hook.Resource != nil; called && d.phase != string(trace.Validating) || d.outcome == string(trace.FailedOpen) || d.ends() {
			right = append(right, d)
		}
	}
	differ := map[string]bool{}
	for _, d := range l.Differences {
		differ[d.Webhook] = true
	}
	for _, c := range calls {
		d := recordedAction(c)
		for i := range right {
			if one := &right[i]; one.phase == d.phase && (one.name == d.name || one.hook != nil && one.hook.Name == d.name) {
				d.name = one.name
				if !differ[d.name] {
					d = *one // as it was compared, ignoring what differs by chance
				}
				break
			}
		}
		left = append(left, d)
	}
	if len(left)+len(right) == 0 {
		return nil
	}
	v := beside(recordedSide, admsimSide, left, right)
	for i := range v.Groups {
		for j := range v.Groups[i].Lines {
			if c := &v.Groups[i].Lines[j].Left; c.Did == nil {
				c.None = "nothing is recorded"
			}
		}
	}
	return v
}

// recordedAction returns what a webhook did when the request was recorded.
func recordedAction(c lines.Call) action {
	h := c.Hook
	phase := words.PhaseName(report.Step{Phase: c.Phase, Round: c.Round})
	name := h.Name
	if h.Configuration != "" {
		name = words.HookName(h)
	}
	return action{phase: phase, name: name, outcome: h.Outcome, because: h.Because, said: messageOf(h.Status), changes: h.Changes, hook: &h, view: func() stepView {
		return chainView{}.hook(&h)
	}}
}

// recordedObject returns the object as it was recorded, compared with that of admsim.
func recordedObject(a *lines.Account) (*evolution, error) {
	before, isObject := a.Recorded.(map[string]any)
	is, isObjectToo := a.Simulated.(map[string]any)
	if !isObject || !isObjectToo || before["kind"] == "Status" || is["kind"] == "Status" {
		return nil, nil
	}
	return besideObject(recordedSide, admsimSide, before, is)
}
