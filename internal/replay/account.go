package replay

import (
	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/replay/compare"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

// An account says how the answer to one request came about; see [lines.Account].
type account struct {
	asked      world.Asked
	result     *simulator.Result
	comparison *compare.Comparison
}

// shown returns the account in the form for callers, or nil if there is none. It is valid while the worker handles the
// request.
func (a *account) shown() *lines.Account {
	if a == nil {
		return nil
	}
	return &lines.Account{
		Counts:   answer.Counts(a.result),
		Answer:   answer.Later(a.asked, a.result, a.comparison.Redactor),
		Recorded: a.comparison.Recorded, Simulated: a.comparison.Simulated,
		Calls: a.comparison.Calls,
	}
}
