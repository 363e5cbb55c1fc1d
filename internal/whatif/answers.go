package whatif

import (
	"context"
	"errors"
	"iter"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

// An Answered is one request of a corpus and what became of it.
type Answered struct {
	Request Request
	Asked   world.Asked
	Result  *simulator.Result
}

// Answers are what becomes of the requests of a corpus, in their order; many are run side by
// side. An error is what ended it, or why admsim cannot tell what becomes of one request.
func Answers(ctx context.Context, maker world.Maker, corpus Corpus, d scenario.Defaults, jobs int) iter.Seq2[Answered, error] {
	enough := errors.New("enough")
	return func(yield func(Answered, error) bool) {
		r, err := newRunner(maker, d)
		if err != nil {
			yield(Answered{}, err)
			return
		}
		judge := func(ctx context.Context, it *item) { it.answer(ctx, 0) }
		take := func(it *item) error {
			if !yield(Answered{it.Request, it.asked[0], it.results[0]}, it.errs[0]) {
				return enough
			}
			return nil
		}
		if err := runAll(ctx, corpus, runners{all: []*runner{r}}, jobs, judge, take); err != nil && !errors.Is(err, enough) {
			yield(Answered{}, err)
		}
	}
}
