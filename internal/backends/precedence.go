package backends

import "github.com/admsim/admsim/pkg/dispatch"

// Precedence holds everything that may say which backend answers for a webhook, in order of precedence. Each may be
// nil, but not all of Case, Loaded and Suite.
type Precedence struct {
	First  *dispatch.Backends // the fault of a matrix, or the backends of a Go test
	Case   *Backends          // overrides of a case
	Loaded *Backends          // what the loaded world declares, for questions about it
	Suite  *Backends          // what the suite declares
}

// Backend returns the backend that answers for a webhook. If none is declared, the last of the Backends answers.
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
