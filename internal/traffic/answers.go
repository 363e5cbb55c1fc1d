package traffic

import (
	"context"
	"errors"
	"iter"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

// An Answered is one request of a corpus and its result.
type Answered struct {
	Request Request
	Asked   world.Asked
	Result  *simulator.Result
}

// Answers runs the requests of a corpus, several at once, and returns their results in order. An error ended the run,
// or says why admsim has no result for a request.
func Answers(ctx context.Context, maker world.Maker, corpus Corpus, d scenario.Defaults, jobs int) iter.Seq2[Answered, error] {
	enough := errors.New("enough")
	return func(yield func(Answered, error) bool) {
		r, err := NewRunner(maker, d)
		if err != nil {
			yield(Answered{}, err)
			return
		}
		judge := func(ctx context.Context, it *Item) *simulator.Result {
			it.Answer(ctx, 0)
			return it.Results[0]
		}
		take := func(it *Item, result *simulator.Result) error {
			if !yield(Answered{it.Request, it.Asked[0], result}, it.Errs[0]) {
				return enough
			}
			return nil
		}
		if err := Run(ctx, corpus, Runners{All: []*Runner{r}}, jobs, judge, take); err != nil && !errors.Is(err, enough) {
			yield(Answered{}, err)
		}
	}
}
