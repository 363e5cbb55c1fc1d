package document

import "github.com/admsim/admsim/internal/redact"

// Options say how to print.
type Options struct {
	Verbose bool // also what had nothing to say, and audit annotations
	Colour  bool

	// Takes secrets out of answers that become results only here: those of suites, and of rows
	// of pages. Nil: they are shown.
	Redactor *redact.Redactor

	// Of suites only: no cases that passed, and a table of what was reached.
	FailOnly, Coverage bool

	// Of suites as text only: what is wrong with one as a whole was printed before.
	Told bool
}

// A sink writes documents in one format.
type Sink interface {
	Result(*Answer) error
	Explanation(*Explanation) error
	Close() error
}
