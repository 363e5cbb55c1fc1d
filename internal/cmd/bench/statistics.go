package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// median returns the middle value, or the mean of the two middle ones.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// spread formats the range of the values.
func spread(values []float64, format func(float64) string) string {
	if len(values) < 2 {
		return ""
	}
	return format(slices.Min(values)) + " to " + format(slices.Max(values))
}

// ratios returns the ratio within each round.
func ratios(ours, theirs []float64) []float64 {
	all := make([]float64, 0, len(ours))
	for i := range min(len(ours), len(theirs)) {
		all = append(all, ours[i]/theirs[i])
	}
	return all
}

// A point is a size of work with its cost.
type point struct{ size, cost float64 }

// exponent returns the exponent of the size with which the cost grows, by least squares on the logarithms.
func exponent(points []point) float64 {
	var n, sx, sy, sxx, sxy float64
	for _, p := range points {
		x, y := math.Log(p.size), math.Log(p.cost)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

func ratio(v float64) string { return fmt.Sprintf("%.2f", v) }

// duration formats nanoseconds for people.
func duration(ns float64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= unit.of {
			return strconv.FormatFloat(ns/unit.of, 'g', 3, 64) + " " + unit.name
		}
	}
	return fmt.Sprintf("%.0f ns", ns)
}

// thousands formats a count with commas.
func thousands(v float64) string {
	digits := fmt.Sprintf("%.0f", v)
	var parts []string
	for len(digits) > 3 {
		parts = append([]string{digits[len(digits)-3:]}, parts...)
		digits = digits[:len(digits)-3]
	}
	return strings.Join(append([]string{digits}, parts...), ",")
}
