package patch

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// A list behaves like a slice, even when chunks are split and emptied.
func TestListIsASlice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	l, want := &list{}, []*node{}
	same := func() bool {
		i := 0
		for at, item := range l.all {
			if at != i || i >= len(want) || item != want[i] {
				return false
			}
			i++
		}
		return i == len(want) && l.len() == i
	}
	for step := range 12_000 {
		value := &node{raw: []byte(strconv.Itoa(step))}
		growing := step < 6_000
		switch n := r.IntN(8); {
		case len(want) == 0 || growing && n < 6 || n < 1:
			i := r.IntN(len(want) + 1)
			if n == 0 {
				i = len(want)
			}
			l.insert(i, value)
			want = slices.Insert(want, i, value)
		case n == 7:
			i := r.IntN(len(want))
			l.set(i, value)
			want[i] = value
			if l.get(i) != value {
				t.Fatalf("item %d is not the one that was set", i)
			}
		default:
			i := r.IntN(len(want))
			l.remove(i)
			want = slices.Delete(want, i, i+1)
		}
		if step%500 == 0 && !same() {
			t.Fatalf("after %d steps the list differs from the slice", step)
		}
		if growing && step == 5_999 && len(l.chunks) < 3 {
			t.Errorf("%d chunks, so splitting is not tested", len(l.chunks))
		}
	}
	if !same() {
		t.Error("in the end the list differs from the slice")
	}
}
