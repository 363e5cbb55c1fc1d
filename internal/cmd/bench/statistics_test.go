package main

import (
	"math"
	"testing"
)

func TestStatistics(t *testing.T) {
	if got := median([]float64{9, 1, 4}); got != 4 {
		t.Errorf("median of three = %v, want the middle one", got)
	}
	if got := median([]float64{9, 1, 4, 6}); got != 5 {
		t.Errorf("median of four = %v, want what is between the middle ones", got)
	}
	if got := exponent([]point{{1, 3}, {10, 300}, {100, 30000}}); math.Abs(got-2) > 1e-9 {
		t.Errorf("exponent of 3n² = %v, want 2", got)
	}
	if got := ratios([]float64{2, 9}, []float64{1, 3}); got[0] != 2 || got[1] != 3 {
		t.Errorf("ratios = %v, want those of each round", got)
	}
}

func TestNumbersForPeople(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{duration(999), "999 ns"},
		{duration(1234), "1.23 µs"},
		{duration(25e6), "25 ms"},
		{thousands(1234567), "1,234,567"},
		{thousands(12), "12"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	s := samples{}
	s.parse("./pkg/x", []byte("goos: linux\nBenchmarkA/by=us-2   100  1500 ns/op  12.50 MiB-kept  3 allocs/op\nPASS\n"))
	for unit, want := range map[string]float64{"ns/op": 1500, "MiB-kept": 12.5, "allocs/op": 3} {
		if got := s[quantity{"./pkg/x", "BenchmarkA/by=us", unit}]; len(got) != 1 || got[0] != want {
			t.Errorf("%s = %v, want %v", unit, got, want)
		}
	}
}
