package document

import "github.com/admsim/admsim/internal/redact"

// Options says how to print.
type Options struct {
	Verbose bool // also show what did nothing, and audit annotations
	Colour  bool
	Columns int // of the terminal that text is for; 0: none

	// Redactor removes secrets from answers that are converted here: those of suites, and those in rows of pages. Nil:
	// they are shown.
	Redactor *redact.Redactor

	// Only for suites: leave out cases that passed; show a table of what was reached.
	FailOnly, Coverage bool

	// Only for suites as text: problems of whole suites were printed before.
	Told bool
}

// A Sink writes documents in one format.
type Sink interface {
	Result(*Answer) error
	Explanation(*Explanation) error
	Close() error
}
