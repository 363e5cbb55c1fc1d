package formats

import (
	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/report/document"
)

// A Printer writes results to one place. Text and lines of JSON are written as they come,
// the other formats on Close: a single result as it is, more of them as a list.
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

// Close writes what is left to write.
func (p *Printer) Close() error { return p.sink.Close() }
