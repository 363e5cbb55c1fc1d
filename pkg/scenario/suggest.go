package scenario

import (
	"fmt"
	"strings"
)

// didYouMean is a hint with the one of known that word was probably meant to be, empty
// where none is near.
func didYouMean(word string, known []string) string {
	if near := nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// nearest finds the word of known with the fewest slips from word: one, and one more for
// every four letters; else the only one that begins with word. Upper and lower case do
// not count.
func nearest(word string, known []string) string {
	word = strings.ToLower(word)
	best, fewest := "", 2+len(word)/4
	var longer []string
	for _, k := range known {
		if d := slips(word, strings.ToLower(k)); d < fewest {
			best, fewest = k, d
		}
		if len(word) > 2 && strings.HasPrefix(strings.ToLower(k), word) {
			longer = append(longer, k)
		}
	}
	if best == "" && len(longer) == 1 {
		return longer[0]
	}
	return best
}

// slips counts the letters to add, drop, replace or swap with the next that make a of b.
func slips(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before []int
	last := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row := make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
