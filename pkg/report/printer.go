package report

import (
	"encoding/json"
	"io"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/redact"
)

// Options say how to print.
type Options struct {
	Verbose bool // also what had nothing to say, and audit annotations
	Colour  bool

	// Takes secrets out of answers that become results only here: those of suites, and of rows
	// of pages. Nil: they are shown.
	Redactor *redact.Redactor

	// Of suites only: no cases that passed, and a table of what was reached.
	FailOnly, Coverage bool

	// Of suites as text only: what is wrong with one as a whole was told to who reads it.
	Told bool
}

// A Printer writes results to one place. Text and lines of JSON are written as they come,
// the other formats on Close: a single result as it is, more of them as a list.
type Printer struct{ sink sink }

// A sink writes documents in one format.
type sink interface {
	result(*Answer) error
	explanation(*Explanation) error
	close() error
}

// Result prints the answer to one request.
func (p *Printer) Result(r *Answer) (err error) {
	defer bug.Catch(&err)
	return p.sink.result(r)
}

// Explanation prints what would become of one request.
func (p *Printer) Explanation(e *Explanation) (err error) {
	defer bug.Catch(&err)
	return p.sink.explanation(e)
}

// Close writes what is left to write.
func (p *Printer) Close() error { return p.sink.close() }

// encode writes v as JSON on one line, with nothing escaped that need not be.
func encode(w io.Writer, v any) error {
	e := json.NewEncoder(inert.NewJSONWriter(w))
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
