package report

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// htmlResults are the answers to requests on one page, in their order.
type htmlResults struct {
	w        io.Writer
	options  Options
	page     htmlPage
	admitted int
	last     *Result
}

func newHTMLResults(w io.Writer, o Options) *htmlResults {
	return &htmlResults{w: w, options: o, page: htmlPage{command: "run", noun: "request", order: []string{"denied", "admitted"}}}
}

func (h *htmlResults) result(r *Answer) error {
	view, err := newResultView(r, nil, h.options)
	if err != nil {
		return err
	}
	h.row(view)
	return nil
}

func (h *htmlResults) row(view *resultView) {
	r := view.Result
	h.page.tally.request(countedResult(r))
	row := rowView{
		ID: h.page.nextID(), Outcome: "admitted", Good: r.Allowed, Name: view.Title, Note: r.Request.Label,
		Took: took(r.Elapsed.Duration), Micros: micros(r.Elapsed.Duration),
	}
	if r.Allowed {
		h.admitted++
	} else {
		row.Outcome, row.By, row.Note = "denied", r.DeniedBy.short(), r.DeniedBy.short()
	}
	h.last = r
	h.page.row(row, view, false)
}

func (h *htmlResults) explanation(*Explanation) error {
	return errors.New("explanations cannot be written as html")
}

func (h *htmlResults) close() error {
	denied := h.page.rows() - h.admitted
	v := pageView{Good: denied == 0}
	switch {
	case h.page.rows() == 1 && denied == 0:
		v.Verdict, v.Sub = "Admitted", h.last.Request.title()
	case h.page.rows() == 1:
		v.Verdict, v.Sub = "Denied by "+h.last.DeniedBy.short(), h.last.Request.title()
	case denied == 0:
		v.Verdict = fmt.Sprintf("All %s admitted", plural(h.page.rows(), "request"))
	default:
		v.Verdict = fmt.Sprintf("%d of %s denied", denied, plural(h.page.rows(), "request"))
	}
	v.Sub = strings.TrimSpace(v.Sub)
	return h.page.write(h.w, v)
}
