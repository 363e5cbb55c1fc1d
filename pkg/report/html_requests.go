package report

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
)

// mostRequests of a sort are shown one by one.
const mostRequests = 10_000

// RequestRows are the requests that the page of a replay or a diff shows one by one. They
// are taken as they come, and what is kept of each is what the page has of it.
type RequestRows struct {
	page  *htmlPage
	rows  map[string]string // of requests, by what samples call them
	added map[string]int    // by section
	full  *sync.Map         // of sections: nobody needs to make more rows for them
}

// A RequestRow is one request, ready to be added.
type RequestRow struct {
	row  rowView
	body rowBody
	key  string
}

// A requestView is one request as two answered it.
type requestView struct {
	At       placeView // where the request is from
	From     string    // and whom
	About    []string
	Verdicts []verdictView
	Samples  []sampleView // what else differs
	Beside   *besideView
	Object   *evolution
	Sides    []sideResult
	Fold     bool // the steps of each
}

// A verdictView is what one of them answered.
type verdictView struct {
	Label, Words, Answer, Message string
	Good                          bool
}

// A sideResult is how one of them came to the answer.
type sideResult struct {
	Label string
	*resultView
}

func newRequestRows(command, all string, o Options) RequestRows {
	return RequestRows{
		page: &htmlPage{command: command, noun: "row", all: all, options: o},
		rows: map[string]string{}, added: map[string]int{}, full: &sync.Map{},
	}
}

// Add adds a row; nil is none. Of each section there are the first [mostRequests].
func (r *RequestRows) Add(row *RequestRow) error {
	if row == nil || r.added[row.row.Section] == mostRequests {
		return nil
	}
	r.added[row.row.Section]++
	if r.added[row.row.Section] == mostRequests {
		r.full.Store(row.row.Section, true)
	}
	row.row.ID = r.page.nextID()
	r.rows[row.key] = row.row.ID
	return r.page.add(row.row, row.body, false)
}

// isFull tells whether a section has enough rows, also while others are added.
func (r *RequestRows) isFull(section string) bool {
	_, full := r.full.Load(section)
	return full
}

// copy is a page with the rows so far, to which others can be added.
func (r *RequestRows) copy() *htmlPage {
	p := *r.page
	p.first, p.further = slices.Clone(p.first), slices.Clone(p.further)
	p.chips.outcomes = slices.Clone(p.chips.outcomes)
	return &p
}

// verdict is the answer of one of two.
func verdict(label string, r *Result) verdictView {
	v := verdictView{Label: label, Words: "Admitted", Answer: answerText(r.Code), Good: r.Allowed}
	if !r.Allowed {
		v.Words = "Denied by " + r.DeniedBy.String()
		if r.Status != nil {
			v.Message = r.Status.Message
		}
	}
	return v
}

func answerText(code int) string { return fmt.Sprintf("%d %s", code, http.StatusText(code)) }

// besideOf puts the steps of two results beside each other.
func besideOf(left, right sideResult) *besideView {
	return beside(left.Label, right.Label, left.deeds(), right.deeds())
}

// deeds are those of all chains of a result.
func (r sideResult) deeds() (all []deed) {
	for i, c := range r.Chains {
		all = append(all, c.deeds(r.Admissions[i].Steps)...)
	}
	return all
}

// besideObject is what one made of an object, beside what another did.
func besideObject(left, right string, a, b any) (*evolution, error) {
	values := map[string]any{left: a, right: b}
	return evolve([]version{{by: left}, {by: right}}, func(v version) (any, error) { return values[v.by], nil })
}
