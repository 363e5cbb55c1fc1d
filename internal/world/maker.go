package world

import (
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/dispatch"
)

// A Resolver returns the backend that answers for a webhook.
type Resolver func(configuration, webhook string) dispatch.Backend

// A CaseKey names the world that a case of a suite finds. Cases that find the same share one; nil
// is the loaded world.
type CaseKey struct {
	Suite *scenario.Suite
	Case  *scenario.Case // one of them
}

// A Maker makes the world that is asked about, as a case finds it. Its webhooks are answered by what
// change makes of their resolver; nil changes nothing. Many may call it at once.
type Maker func(key *CaseKey, change func(Resolver) Resolver) (*World, error)
