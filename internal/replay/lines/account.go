package lines

import (
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/report"
)

// An Account is how the answer to one request came about, beside what is recorded of it, without secrets.
type Account struct {
	Counts document.Counts

	// Answer is that of admsim. It is only put together when somebody asks.
	Answer func() (*document.Answer, error)

	// Recorded and Simulated are the bodies of the answers as they were compared: what
	// differs by chance is the same in both. Both are nil if the answers agree, and where
	// none was logged Recorded is.
	Recorded, Simulated any

	// Calls are what webhooks did when the request was recorded, as far as that is known. An
	// audit log has those that may change objects, and those that ended a request or did not answer.
	Calls func() []Call
}

// A Call is what one webhook did when a request was recorded.
type Call struct {
	Phase string
	Round int
	Hook  report.Hook
}
