package latency

import (
	"math"
	"slices"
	"time"
)

// A Percentile is the time that a percentage of the requests do not exceed.
type Percentile struct {
	Percent       float64
	Is, Low, High time.Duration
}

// A Chance is the probability of something.
type Chance struct {
	Of, In    int
	Is        float64
	Low, High float64
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// An estimate says how far from the sampled value the true one may be: it is a quantile of the normal distribution.
type estimate float64

const (
	exact      estimate = 0    // nothing is random
	confidence estimate = 1.96 // for the middle 95 %
)

// percentiles returns the percentiles of values, with the bounds given by order statistics: of n values, the number
// below the true percentile is binomially distributed.
func (e estimate) percentiles(values []time.Duration) (all []Percentile) {
	values = slices.Clone(values)
	slices.Sort(values)
	n := float64(len(values))
	at := func(rank float64) time.Duration {
		return values[min(max(int(math.Ceil(rank))-1, 0), len(values)-1)]
	}
	for _, percent := range []float64{50, 95, 99, 99.9} {
		p := percent / 100
		spread := float64(e) * math.Sqrt(n*p*(1-p))
		all = append(all, Percentile{percent, at(n * p), at(n*p - spread), at(n*p + spread)})
	}
	return all
}

// chance returns the probability of something that happened k times out of n. The interval is Wilson's, which is
// meaningful even if it never happened.
func (e estimate) chance(k, n int) Chance {
	if n == 0 {
		return Chance{}
	}
	p, m, z := float64(k)/float64(n), float64(n), float64(e)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	low, high := max(middle-half, 0), min(middle+half, 1)
	if k == 0 {
		low = 0 // avoids a rounding error
	}
	if k == n {
		high = 1
	}
	return Chance{k, n, p, low, high}
}
