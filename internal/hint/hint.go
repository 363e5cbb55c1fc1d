// Package hint adds to an error what its reader can try next.
package hint

// An Error is an error with a hint, which is not part of its text.
type Error struct {
	Err  error
	Hint string
}

// Add adds a hint to err. A hint that err already has comes first.
func Add(err error, hint string) error { return &Error{err, hint} }

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error without the hint.
func (e *Error) Unwrap() error { return e.Err }
