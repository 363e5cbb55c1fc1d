package auditlog

import (
	"errors"
	"time"
)

// Later holds entries of controllers. They arrive before the entries of the requests that they react to, since clients
// are answered when the controllers are done. So each waits until a request that began after it is logged.
type Later struct{ entries []laterEntry }

type laterEntry struct {
	began time.Time
	write func() error
}

// Add adds an entry.
func (l *Later) Add(began time.Time, write func() error) {
	l.entries = append(l.entries, laterEntry{began, write})
}

// CatchUp writes the entries that began before a time, or all of them if it is zero.
func (l *Later) CatchUp(before time.Time) (err error) {
	n := 0
	for ; n < len(l.entries) && (before.IsZero() || l.entries[n].began.Before(before)); n++ {
		err = errors.Join(err, l.entries[n].write())
	}
	l.entries = l.entries[n:]
	return err
}
