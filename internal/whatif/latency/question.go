package latency

import (
	"context"

	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/world"
)

// A Question is a request, ready to be asked in the world of a case.
type Question struct {
	Key *world.CaseKey
	Ask func(*world.World) (world.Asked, error)
}

// in is the request as it is asked in its world.
func (q Question) in(maker world.Maker, change func(world.Resolver) world.Resolver) (asked world.Asked, err error) {
	w, err := maker(q.Key, change)
	if err != nil {
		return asked, err
	}
	return q.Ask(w)
}

// Last asks the last of these requests, after those before it were answered.
func Last(ctx context.Context, steps []traffic.Step) func(*world.World) (world.Asked, error) {
	return func(w *world.World) (world.Asked, error) {
		sim := w.Simulator()
		for _, step := range steps[:len(steps)-1] {
			asked, err := step.Ask(w, sim)
			if err != nil {
				return asked, err
			}
			answer, err := asked.Answer(ctx)
			if err != nil {
				return asked, err
			}
			sim = answer.Next
		}
		return steps[len(steps)-1].Ask(w, sim)
	}
}
