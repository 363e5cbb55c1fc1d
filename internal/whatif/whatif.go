// Package whatif asks what would happen before anybody deploys: what changes between two
// worlds ([Diff]), what breaks when a webhook does not answer ([Outage]), whether webhooks
// keep to what the server expects of them ([Check]), who set which field of an object
// ([NewBlame]), and how long requests would take ([Latency]).
//
// A question is asked of a world and of a [Corpus] of requests, which were written by hand
// or recorded; [Written] and [Recorded] make one. What comes back is plain data: counts
// that are exact, and samples of what they count.
//
// The package calls nobody that the world would not call, and does not know how an answer
// is shown. Its files are named after the questions; corpus.go and run.go are what they
// share: where requests come from, and how they are run side by side.
package whatif

import (
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/dispatch"
)

// Who says who answers for a webhook.
type Who func(configuration, webhook string) dispatch.Backend

// A Maker makes the world that is asked about, as it is on a ground. Somebody else answers
// for its webhooks: who change makes of those that answer otherwise. Nil changes nothing. Many may
// call it at once.
type Maker func(on *Ground, change func(Who) Who) (*world.World, error)

// A Ground is what the cases of a suite find beside the world that is asked about; nil is
// nothing. Cases that find the same share one.
type Ground struct {
	Suite *scenario.Suite
	Case  *scenario.Case // one of them
}
