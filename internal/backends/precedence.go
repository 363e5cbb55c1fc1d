package backends

import "github.com/admsim/admsim/pkg/dispatch"

// Precedence is everything that may say which backend answers for a webhook: what comes first
// counts first. Each may be nil, but not all of Case, Loaded and Suite.
type Precedence struct {
	First  *dispatch.Backends // the fault of a matrix, or who answers in a Go test
	Case   *Backends          // overrides of a case
	Loaded *Backends          // what the loaded world declares, for questions about it
	Suite  *Backends          // what the suite declares
}

// Backend returns the backend that answers for a webhook. For webhooks that nothing is declared for, the last one answers.
func (p Precedence) Backend(configuration, webhook string) dispatch.Backend {
	if p.First != nil && p.First.Declares(configuration, webhook) {
		return p.First.Backend(configuration, webhook)
	}
	var last *Backends
	for _, b := range []*Backends{p.Case, p.Loaded, p.Suite} {
		switch {
		case b == nil:
		case b.Declares(configuration, webhook):
			return b.Backend(configuration, webhook)
		default:
			last = b
		}
	}
	return last.Backend(configuration, webhook)
}
