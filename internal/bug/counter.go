package bug

import (
	"errors"
	"fmt"
)

// A Counter counts the records, requests or cases that hit a bug while the others are still handled.
type Counter struct {
	What  string // the singular, such as request
	Count int
	First error
}

// Met reports whether err is a bug, and counts it if it is.
func (c *Counter) Met(err error) bool {
	if !Is(err) {
		return false
	}
	c.Add(err)
	return true
}

// Add counts one more bug.
func (c *Counter) Add(err error) {
	if c.Count++; c.First == nil {
		c.First = err
	}
}

// Err returns the error that there were bugs; nil if there were none.
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

// A Found is an error about bugs of admsim.
type Found struct{ Err error }

func (f *Found) Error() string { return f.Err.Error() }

// Unwrap returns the error about the bugs.
func (f *Found) Unwrap() error { return f.Err }

// Is reports whether err is, wraps or joins a bug of admsim.
func Is(err error) bool {
	caught, found := (*Error)(nil), (*Found)(nil)
	return errors.As(err, &caught) || errors.As(err, &found)
}
