package whatif

import (
	"context"

	"github.com/admsim/admsim/internal/scenario"
)

// Play runs a corpus in one world, which Diff is measured by.
func Play(ctx context.Context, maker Maker, corpus Corpus, jobs int) (n int, err error) {
	judge := func(ctx context.Context, t *turn) { t.answer(ctx, 0) }
	take := func(t *turn) error { n++; return t.err() }
	p, err := newPlayer(maker, scenario.Defaults{})
	if err != nil {
		return 0, err
	}
	err = play(ctx, corpus, cast{players: []*player{p}}, jobs, judge, take)
	return n, err
}

// Change has the webhooks of a situation answer as they would in it.
func (s Situation) Change(who Who) Who { return s.change(who) }

// Elapsed is how long the server took.
var Elapsed = elapsed
