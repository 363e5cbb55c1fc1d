package whatif

import (
	"slices"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/report/document"
)

// A RequestError says why a request could not be answered.
type RequestError struct {
	Request document.Sample
	Err     error
}

// WithError adds an error to the first few that are kept. A bug in admsim is always kept: it is reported even if many
// requests before it could not be answered.
func WithError(few []RequestError, one RequestError) []RequestError {
	const most = 5
	isBug := func(e RequestError) bool { return bug.Is(e.Err) }
	switch {
	case len(few) < most:
		return append(few, one)
	case isBug(one) && !slices.ContainsFunc(few, isBug):
		few[most-1] = one
	}
	return few
}
