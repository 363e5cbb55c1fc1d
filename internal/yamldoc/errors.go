package yamldoc

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/didyoumean"
)

// A Source is a place in a file. Line and Column count from 1; they are 0 if only the file is known.
type Source struct {
	File         string
	Line, Column int
}

// String returns file:line, as in messages and traces.
func (s Source) String() string {
	file := strings.ReplaceAll(s.File, "\n", `\n`) // a line break would forge a line
	if s.Line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, s.Line)
}

// ParseSource parses a place as it is written in traces.
func ParseSource(text string) Source {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return Source{File: text}
	}
	line, err := strconv.Atoi(text[i+1:])
	if err != nil {
		return Source{File: text}
	}
	return Source{File: text[:i], Line: line}
}

func (s Source) compare(t Source) int {
	if c := strings.Compare(s.File, t.File); c != 0 {
		return c
	}
	if s.Line != t.Line {
		return s.Line - t.Line
	}
	return s.Column - t.Column
}

// An Error is one mistake in the input.
type Error struct {
	Source
	Message string
	Hint    string // what to try next; may be empty
	Err     error  // the cause, if a caller may want to look at it
}

// At returns err as an error about a place.
func At(place Source, err error) *Error {
	e := &Error{Source: place, Message: err.Error(), Err: err}
	if unknown := didyoumean.In(err); unknown != nil {
		e.Message, e.Hint = unknown.Problem, unknown.Hint()
	}
	return e
}

// Error returns file:line: message, and the hint on a line of its own.
func (e *Error) Error() string {
	text := e.Message
	if at := e.Source.String(); at != "" {
		text = at + ": " + text
	}
	if e.Hint != "" {
		text += "\n  hint: " + e.Hint
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Errors are all mistakes in the input, in the order of files and lines.
type Errors []*Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find each error.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i, one := range e {
		all[i] = one
	}
	return all
}

func (e *Errors) Add(at Source, hint, format string, args ...any) {
	*e = append(*e, &Error{Source: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// Guard calls read, which reads one thing of a file. A bug in admsim becomes an error about it, so that what follows is
// still read.
func (e *Errors) Guard(at Source, read func()) {
	var err error
	defer func() {
		if err != nil {
			*e = append(*e, &Error{Source: at, Message: err.Error(), Err: err})
		}
	}()
	defer bug.Catch(&err)
	read()
}

// Join adds the errors that err contains.
func (e *Errors) Join(err error) {
	var many Errors
	var one *Error
	switch {
	case err == nil:
	case errors.As(err, &many):
		*e = append(*e, many...)
	case errors.As(err, &one):
		*e = append(*e, one)
	default:
		*e = append(*e, &Error{Message: err.Error(), Err: err})
	}
}

// Together returns all of errs as one [Errors], nil if there are none.
func Together(errs ...error) error {
	var all Errors
	for _, err := range errs {
		all.Join(err)
	}
	return all.Err()
}

// Err returns the errors as [Errors.Sorted] does, nil if there are none.
func (e Errors) Err() error {
	if len(e) == 0 {
		return nil
	}
	return e.Sorted()
}

// Sorted returns the errors, sorted by line within each file; files stay in the order in which they were read. Duplicates
// are reported once.
func (e Errors) Sorted() Errors {
	order := map[string]int{}
	for _, one := range e {
		if _, seen := order[one.File]; !seen {
			order[one.File] = len(order)
		}
	}
	slices.SortStableFunc(e, func(a, b *Error) int {
		if a.File != b.File {
			return order[a.File] - order[b.File]
		}
		return a.Source.compare(b.Source)
	})
	type finding struct {
		at      Source
		message string
	}
	told := map[finding]bool{}
	return slices.DeleteFunc(e, func(one *Error) bool {
		key := finding{one.Source, one.Message}
		twice := told[key]
		told[key] = true
		return twice
	})
}
