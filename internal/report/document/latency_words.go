package document

import (
	"fmt"

	"github.com/admsim/admsim/internal/report/words"
)

// Sampling says how exactly the result is known.
func (l *Latency) Sampling() string {
	if !l.Random {
		return "nothing is random, so these times are exact"
	}
	return fmt.Sprintf("%s drawn with seed %d; in brackets: 95%% confidence intervals of the sampling", words.Plural(l.Samples, "answer"), l.Seed)
}
