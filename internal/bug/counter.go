package bug

import (
	"errors"
	"fmt"
)

// A Counter counts the records, requests or cases that met a bug, where the others are dealt with all the
// same.
type Counter struct {
	What  string // one of them
	Count int
	First error
}

// Met reports whether err is a bug, and counts it.
func (c *Counter) Met(err error) bool {
	if !Is(err) {
		return false
	}
	c.Add(err)
	return true
}

// Add counts one that met a bug.
func (c *Counter) Add(err error) {
	if c.Count++; c.First == nil {
		c.First = err
	}
}

// Err is the error that there were bugs; nil if there were none.
func (c *Counter) Err() error {
	if c.Count == 0 {
		return nil
	}
	what := c.What
	if c.Count > 1 {
		what += "s"
	}
	return &Found{fmt.Errorf("%d %s met a bug in admsim; the first: %w", c.Count, what, c.First)}
}

// A Found error is about bugs of admsim that were met on the way.
type Found struct{ Err error }

func (f *Found) Error() string { return f.Err.Error() }

// Unwrap returns what was found.
func (f *Found) Unwrap() error { return f.Err }

// Is reports whether a bug of admsim is among the errors that err is or wraps.
func Is(err error) bool {
	caught, found := (*Error)(nil), (*Found)(nil)
	return errors.As(err, &caught) || errors.As(err, &found)
}
