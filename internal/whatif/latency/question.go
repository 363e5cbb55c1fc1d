package latency

import (
	"context"

	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/world"
)

// A Question is a request to ask in the world of a case.
type Question struct {
	Key *world.CaseKey
	Ask func(*world.World) (world.Asked, error)
}

// in prepares the request in its world.
func (q Question) in(maker world.Maker, change func(world.Resolver) world.Resolver) (asked world.Asked, err error) {
	w, err := maker(q.Key, change)
	if err != nil {
		return asked, err
	}
	return q.Ask(w)
}

// Last prepares the last of these requests, after answering those before it.
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
