package rules

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// Sorted iterates over a map in the order of its keys. The server iterates in random order, so that the order of its
// messages varies; here it does not.
func Sorted[K cmp.Ordered, V any](m map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}
