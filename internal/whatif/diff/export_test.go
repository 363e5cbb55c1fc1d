package diff

import (
	"context"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/world"
)

// Play runs a corpus in one world. Run is measured against it.
func Play(ctx context.Context, maker world.Maker, corpus traffic.Corpus, jobs int) (n int, err error) {
	judge := func(ctx context.Context, it *traffic.Item) error {
		it.Answer(ctx, 0)
		return it.Err()
	}
	take := func(_ *traffic.Item, err error) error { n++; return err }
	r, err := traffic.NewRunner(maker, scenario.Defaults{})
	if err != nil {
		return 0, err
	}
	err = traffic.Run(ctx, corpus, traffic.Runners{All: []*traffic.Runner{r}}, jobs, judge, take)
	return n, err
}
