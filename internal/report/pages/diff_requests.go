package pages

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// DiffRows are the requests that change, for the page of a [document.Diff].
type DiffRows struct{ RequestRows }

// The headings for the groups of changes and the requests, and the names of the two worlds.
const (
	whatChange = "What changes"
	thatChange = "Requests that change"

	baseSide = "base"
	headSide = "head"
)

// NewDiffRows returns an empty set of rows.
func NewDiffRows(o document.Options) *DiffRows {
	rows := &DiffRows{newRequestRows("diff", "whoever did it", o)}
	for _, c := range document.Changes() {
		rows.page.order = append(rows.page.order, document.ChangeWords[c])
	}
	return rows
}

// Make returns the row of a request, or nil if the page has enough rows. It may be called concurrently.
func (d *DiffRows) Make(c *document.Changed) (*RequestRow, error) {
	if d.isFull(thatChange) {
		return nil, nil
	}
	view, err := d.view(c)
	if err != nil {
		return nil, err
	}
	request, first := c.Request, c.Differences[0]
	row := rowView{
		Section: thatChange, Outcome: document.ChangeWords[first.Change], Class: classOf(first.Change),
		Good: first.Change != document.NewlyDenied, Name: request.String(), Note: whatChanges(first), By: byOf(first),
		Took: words.Took(view.Sides[1].Elapsed.Duration), Micros: micros(view.Sides[1].Elapsed.Duration),
	}
	for _, further := range c.Differences[1:] {
		row.Also = append(row.Also, document.ChangeWords[further.Change])
	}
	if n := len(c.Differences); n > 1 {
		row.Note += fmt.Sprintf(", and %d more", n-1)
	}
	return &RequestRow{row: row, body: newRowBody(&markup.Writer{}, view), key: request.Key()}, nil
}

func byOf(d document.Difference) string {
	if d.By == (document.Actor{}) {
		return ""
	}
	return d.By.String()
}

// whatChanges returns a difference on one line.
func whatChanges(d document.Difference) string {
	switch d.Change {
	case document.NewlyDenied, document.NewlyAllowed, document.DifferentMessage:
		return strings.Trim(byOf(d)+": "+document.Point(d.What), ": ")
	case document.DifferentCalls:
		return fmt.Sprintf("%s: %s, was %s", byOf(d), d.Head, d.Base)
	case document.DifferentLatency:
		return fmt.Sprintf("%s, was %s", document.SideText(d.Change, d.Head), document.SideText(d.Change, d.Base))
	}
	return d.What
}

func (d *DiffRows) view(c *document.Changed) (*requestView, error) {
	base, head, err := c.Answers()
	if err != nil {
		return nil, err
	}
	v := &requestView{
		At: placeView(c.Request.Source), From: c.Request.Who(),
		Verdicts: []verdictView{verdict(baseSide, base.Result), verdict(headSide, head.Result)},
		Fold:     true,
	}
	for _, one := range c.Differences {
		switch one.Change {
		case document.NewlyDenied, document.NewlyAllowed, document.DifferentMessage:
			if one.Because != "" {
				v.Samples = append(v.Samples, sampleView{Title: document.ChangeWords[one.Change], Note: one.Because})
			}
			continue // the verdicts show the rest
		}
		sample := sampleView{
			Title: document.ChangeWords[one.Change], About: one.What,
			Was: sideView{baseSide, document.SideText(one.Change, one.Base), ""}, Is: sideView{headSide, document.SideText(one.Change, one.Head), ""},
		}
		if by := byOf(one); by != "" {
			sample.Note = document.ByWord(one.Change) + " " + by
		}
		v.Samples = append(v.Samples, sample)
	}
	for _, one := range []struct {
		label       string
		this, other *document.Answer
	}{{baseSide, base, head}, {headSide, head, base}} {
		shown, err := newResultView(one.this, one.other, d.page.options)
		if err != nil {
			return nil, err
		}
		v.Sides = append(v.Sides, sideResult{one.label, shown})
	}
	v.Beside = besideOf(v.Sides[0], v.Sides[1])
	before, after := c.Objects()
	if before != nil && after != nil {
		v.Object, err = besideObject(baseSide, headSide, before, after)
	}
	return v, err
}
