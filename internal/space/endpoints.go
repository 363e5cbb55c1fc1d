package space

import (
	"cmp"
	"iter"
	"slices"

	"github.com/admsim/admsim/internal/space/diagram"
)

// Endpoints iterates over the endpoints with requests in r, and these requests, the best-known endpoints first.
func (s *Space) Endpoints(r Requests) iter.Seq2[Endpoint, Requests] {
	var order []int
	for i, set := range r {
		if set != diagram.None {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.endpoints[b].rank(), s.endpoints[a].rank()) })
	return func(yield func(Endpoint, Requests) bool) {
		for _, i := range order {
			one := s.Nothing()
			one[i] = r[i]
			if !yield(s.endpoints[i], one) {
				return
			}
		}
	}
}
