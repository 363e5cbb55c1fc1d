package splitmix_test

import (
	"testing"

	"github.com/admsim/admsim/internal/splitmix"
)

// The numbers are those of the reference implementation (prng.di.unimi.it/splitmix64.c) and must never change: users
// write down seeds.
func TestUint64(t *testing.T) {
	for seed, want := range map[uint64][3]uint64{
		0:       {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f},
		1234567: {6457827717110365317, 3203168211198807973, 9817491932198370423},
	} {
		source := splitmix.New(seed)
		for i, n := range want {
			if got := source.Uint64(); got != n {
				t.Errorf("number %d of seed %d is %#x, want %#x", i+1, seed, got, n)
			}
		}
	}
}

func TestFloat64(t *testing.T) {
	source, sum := splitmix.New(1), 0.0
	const n = 10_000
	for range n {
		f := source.Float64()
		if f < 0 || f >= 1 {
			t.Fatalf("Float64 = %g, want it in [0, 1)", f)
		}
		sum += f
	}
	if mean := sum / n; mean < 0.48 || mean > 0.52 {
		t.Errorf("the mean of %d numbers is %g, want about a half", n, mean)
	}
}
