package formats

import (
	"errors"
	"strings"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/report"
)

// A Printer writes results to one place as they come, pages on Close. As JSON and YAML a single result is
// written as it is, on Close, and more of them as a list.
type Printer struct{ sink document.Sink }

// Result prints the answer to one request.
func (p *Printer) Result(r *document.Answer) (err error) {
	defer bug.Catch(&err)
	return p.sink.Result(r)
}

// Explanation prints what would become of one request.
func (p *Printer) Explanation(e *document.Explanation) (err error) {
	defer bug.Catch(&err)
	return p.sink.Explanation(e)
}

// Undecided counts a request of which it is not known what becomes of it, in formats that sum up.
func (p *Printer) Undecided() {
	if s, ok := p.sink.(interface{ Undecided() }); ok {
		s.Undecided()
	}
}

// Close writes what is left to write.
func (p *Printer) Close() error { return p.sink.Close() }

// ResultText is a result as admsim run prints it.
func ResultText(r *report.Result) (string, error) {
	var b strings.Builder
	p := NewPrinter(&b, Text, document.Options{})
	err := errors.Join(p.Result(&document.Answer{Result: r}), p.Close())
	return b.String(), err
}
