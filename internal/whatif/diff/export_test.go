package diff

import (
	"context"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/world"
)

// Play runs a corpus in one world, which Run is measured by.
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
