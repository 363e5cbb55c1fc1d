package world

import (
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/dispatch"
)

// A Resolver returns the backend that answers for a webhook.
type Resolver func(configuration, webhook string) dispatch.Backend

// A CaseKey identifies the world that a case of a suite finds. Cases that find the same world share a key; nil is the
// loaded world.
type CaseKey struct {
	Suite *scenario.Suite
	Case  *scenario.Case // one of the cases
}

// A Maker makes the loaded world, or the world of a case. change may replace the resolver of its backends; nil changes
// nothing. It may be called concurrently.
type Maker func(key *CaseKey, change func(Resolver) Resolver) (*World, error)
