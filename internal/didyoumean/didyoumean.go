// Package didyoumean finds the known word that was probably meant by an unknown one.
//
// It only compares words. The caller provides the known words, and decides how to report
// the answer.
package didyoumean

import (
	"errors"
	"fmt"
	"strings"
)

// Nearest returns the known word that takes the fewest slips to become word, the first if there are several, or "" if
// none is near enough: one slip is allowed for every three letters, where a rest of two letters counts as three, and
// always at least one. Case does not count, and two swapped letters are one slip.
//
// Another word between the same beginning and end is not a slip: owner.shop.example does not mean policy.shop.example.
// If no word is near, the result is the only one that begins with word.
func Nearest(word string, known []string) string {
	best, fewest := "", 1+max(1, (len(word)+1)/3)
	if len(word) > longest {
		return ""
	}
	for _, candidate := range known {
		if len(candidate) > longest {
			continue
		}
		a, b := apart(strings.ToLower(word), strings.ToLower(candidate))
		n := slips(a, b)
		if n < fewest && n < len(candidate) && (n <= 1 || min(len(a), len(b)) == 0 || 2*n <= max(len(a), len(b))) {
			best, fewest = candidate, n
		}
	}
	if best == "" {
		return begun(word, known)
	}
	return best
}

// longest is the maximum length of a word in bytes: comparing two words takes time proportional to the product of their
// lengths. No name in Kubernetes has more than 253.
const longest = 512

// begun returns the only known word that begins with word, which needs at least three letters, or "".
func begun(word string, known []string) (one string) {
	for _, candidate := range known {
		if len(word) < 3 || len(candidate) < len(word) || !strings.EqualFold(candidate[:len(word)], word) || candidate == one {
			continue
		}
		if one != "" {
			return ""
		}
		one = candidate
	}
	return one
}

// apart returns two words without their common beginning and end.
func apart(a, b string) (string, string) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// slips counts the letters to insert, delete, change or swap with their neighbour between a and b. It fills the usual
// table row by row and keeps the last three rows.
func slips(a, b string) int {
	var before, above []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row = above, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			changed := above[j-1]
			if a[i-1] != b[j-1] {
				changed++
			}
			row[j] = min(changed, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// An UnknownError says that a word is not known, and what was probably meant.
type UnknownError struct {
	Problem string
	Nearest string // or ""
	Else    string // the hint if no word is near; may be empty
}

// Unknown returns the error about a word that is not among known.
func Unknown(problem, word string, known []string) *UnknownError {
	return &UnknownError{Problem: problem, Nearest: Nearest(word, known)}
}

// In returns the error about an unknown word that err is or wraps, nil if there is none. A package that does not import
// this one can have its own error type, which calls nearest to find what was meant.
func In(err error) *UnknownError {
	var known *UnknownError
	if errors.As(err, &known) {
		return known
	}
	var other interface {
		error
		Unknown(nearest func(word string, known []string) string) (problem, word, otherwise string)
	}
	if errors.As(err, &other) {
		problem, nearest, otherwise := other.Unknown(Nearest)
		return &UnknownError{Problem: problem, Nearest: nearest, Else: otherwise}
	}
	return nil
}

func (e *UnknownError) Error() string {
	if hint := e.Hint(); hint != "" {
		return e.Problem + "; " + hint
	}
	return e.Problem
}

// Hint returns what to try next, or "".
func (e *UnknownError) Hint() string {
	if e.Nearest == "" {
		return e.Else
	}
	return fmt.Sprintf("did you mean %q?", e.Nearest)
}
