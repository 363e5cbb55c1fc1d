package whatif

import (
	"context"

	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/world"
)

// Play runs a corpus in one world, which Diff is measured by.
func Play(ctx context.Context, w *world.World, corpus Corpus, jobs int) (n int, err error) {
	judge := func(ctx context.Context, t *turn) { t.answer(ctx, 0) }
	take := func(t *turn) error { n++; return t.err() }
	err = play(ctx, corpus, []*player{newPlayer(w, scenario.Defaults{})}, jobs, judge, take)
	return n, err
}
