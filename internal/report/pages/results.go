package pages

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

// htmlResults shows the answers to requests on one page, in order.
type htmlResults struct {
	w        io.Writer
	options  document.Options
	page     htmlPage
	admitted int
	last     *report.Result
}

func NewResults(w io.Writer, o document.Options) *htmlResults {
	return &htmlResults{w: w, options: o, page: htmlPage{command: "run", noun: "request", order: []string{"denied", "admitted"}}}
}

func (h *htmlResults) Result(r *document.Answer) error {
	view, err := newResultView(r, nil, h.options)
	if err != nil {
		return err
	}
	h.row(view)
	return nil
}

func (h *htmlResults) row(view *resultView) {
	r := view.Result
	h.page.tally.request(document.CountsOf(r))
	row := rowView{
		ID: h.page.nextID(), Outcome: "admitted", Good: r.Allowed, Name: view.Title, Note: r.Request.Label,
		Took: words.Took(r.Elapsed.Duration), Micros: micros(r.Elapsed.Duration),
	}
	if r.Allowed {
		h.admitted++
	} else {
		row.Outcome, row.By, row.Note = "denied", shortDecider(*r.DeniedBy), shortDecider(*r.DeniedBy)
	}
	h.last = r
	h.page.row(row, view, false)
}

func (h *htmlResults) Explanation(*document.Explanation) error {
	return errors.New("explanations cannot be written as html")
}

func (h *htmlResults) Close() error {
	denied := h.page.rows() - h.admitted
	v := pageView{Good: denied == 0}
	switch {
	case h.page.rows() == 1 && denied == 0:
		v.Verdict, v.Sub = "Admitted", words.RequestTitle(h.last.Request)
	case h.page.rows() == 1:
		v.Verdict, v.Sub = "Denied by "+shortDecider(*h.last.DeniedBy), words.RequestTitle(h.last.Request)
	case denied == 0:
		v.Verdict = fmt.Sprintf("All %s admitted", words.Plural(h.page.rows(), "request"))
	default:
		v.Verdict = fmt.Sprintf("%d of %s denied", denied, words.Plural(h.page.rows(), "request"))
	}
	v.Sub = strings.TrimSpace(v.Sub)
	return h.page.write(h.w, v)
}
