package formats

import (
	"errors"
	"strings"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/report"
)

// A Printer writes results to one place as they arrive; pages are written by Close. As JSON and YAML, a single result
// is written as it is, by Close, and several results as a list.
type Printer struct{ sink document.Sink }

// Result prints the answer to one request.
func (p *Printer) Result(r *document.Answer) (err error) {
	defer bug.Catch(&err)
	return p.sink.Result(r)
}

// Explanation prints what would happen to one request.
func (p *Printer) Explanation(e *document.Explanation) (err error) {
	defer bug.Catch(&err)
	return p.sink.Explanation(e)
}

// Undecided counts a request without a result, in formats that have a summary.
func (p *Printer) Undecided() {
	if s, ok := p.sink.(interface{ Undecided() }); ok {
		s.Undecided()
	}
}

// Close writes the rest.
func (p *Printer) Close() error { return p.sink.Close() }

// ResultText returns a result as admsim run prints it.
func ResultText(r *report.Result) (string, error) {
	var b strings.Builder
	p := NewPrinter(&b, Text, document.Options{})
	err := errors.Join(p.Result(&document.Answer{Result: r}), p.Close())
	return b.String(), err
}
