package whatif

import (
	"errors"
	"slices"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/dispatch"
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

// Silent returns the webhook whose answer is missing, if that is why a request could not be answered. The error does not
// say whether the webhook is mutating or validating: both are returned.
func Silent(err error) []document.Actor {
	var missing *dispatch.NoAnswerError
	if !errors.As(err, &missing) {
		return nil
	}
	return []document.Actor{
		{Plugin: "MutatingAdmissionWebhook", Configuration: missing.Configuration, Name: missing.Webhook},
		{Plugin: "ValidatingAdmissionWebhook", Configuration: missing.Configuration, Name: missing.Webhook},
	}
}
