package backends

import (
	"context"

	"github.com/admsim/admsim/pkg/dispatch"
)

// Assumed answers for webhooks without a declared backend: it allows everything, converts nothing but the apiVersion of
// objects, and marks each answer as assumed. It is meant for [Options].Unmatched.
type Assumed struct{ mock dispatch.Mock }

// Call answers a call.
func (a *Assumed) Call(ctx context.Context, c dispatch.Call) dispatch.Reply {
	reply := a.mock.Call(ctx, c)
	reply.Assumed = "no backend is declared for it: it allows everything"
	if c.Review == nil && c.Version != dispatch.ImageReviews {
		reply.Assumed = "no backend is declared for it: it changes nothing but the apiVersion of objects"
	}
	return reply
}

// AnswersAtOnce returns true, as for every mock.
func (a *Assumed) AnswersAtOnce() bool { return a.mock.AnswersAtOnce() }
