package kubeversion

import "fmt"

// An UnknownError says that a release does not have what somebody named.
type UnknownError struct {
	Problem string
	Nearest string // what was meant, where nobody has to look at the letters to know; or ""
	Else    string // what to try where nothing is near; may be empty

	// meant is what was probably meant, and the problem in view of that; may be nil.
	meant func(nearest Nearest) (problem, word string)
}

// Nearest finds the word of known that somebody probably meant who wrote word, or "".
type Nearest = func(word string, known []string) string

func unknown(problem, word string, known []string) *UnknownError {
	return &UnknownError{Problem: problem, meant: func(nearest Nearest) (string, string) {
		return problem, nearest(word, known)
	}}
}

// Unknown is what the error is about, what was probably meant, and what to try where nothing is
// near. This package does not compare letters: nearest does.
func (e *UnknownError) Unknown(nearest Nearest) (problem, word, otherwise string) {
	problem, word = e.Problem, e.Nearest
	if e.meant != nil {
		problem, word = e.meant(nearest)
	}
	return problem, word, e.Else
}

func (e *UnknownError) Error() string {
	switch {
	case e.Nearest != "":
		return fmt.Sprintf("%s; did you mean %q?", e.Problem, e.Nearest)
	case e.Else != "":
		return e.Problem + "; " + e.Else
	}
	return e.Problem
}
