package backends

import (
	"context"

	"github.com/admsim/admsim/pkg/dispatch"
)

// Assumed answers for webhooks that no backend is declared for: it allows everything, converts nothing but the apiVersion of
// objects, and says of each answer that it is assumed. It is for [Options].Unmatched.
type Assumed struct{ mock dispatch.Mock }

// Call answers.
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
