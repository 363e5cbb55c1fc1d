package whatif

import (
	"context"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/world"
)

// Play runs a corpus in one world, which Diff is measured by.
func Play(ctx context.Context, maker world.Maker, corpus traffic.Corpus, jobs int) (n int, err error) {
	judge := func(ctx context.Context, it *traffic.Item) { it.Answer(ctx, 0) }
	take := func(it *traffic.Item) error { n++; return it.Err() }
	r, err := traffic.NewRunner(maker, scenario.Defaults{})
	if err != nil {
		return 0, err
	}
	err = traffic.Run(ctx, corpus, traffic.Runners{All: []*traffic.Runner{r}}, jobs, judge, take)
	return n, err
}

// Change has the webhooks of a situation answer as they would in it.
func (s Situation) Change(resolver world.Resolver) world.Resolver { return s.change(resolver) }

// Elapsed is how long the server took.
var Elapsed = elapsed
