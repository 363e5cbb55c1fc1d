package kubeversion

import "fmt"

// An UnknownError reports that a release, or something in a release, does not exist.
type UnknownError struct {
	Problem string
	Nearest string // what was meant, if this is known without comparing words; or ""
	Else    string // what to try if no word is similar; may be empty

	// meant returns what was probably meant, and the problem in view of that; may be nil.
	meant func(nearest Nearest) (problem, word string)
}

// Nearest returns the word in known that was probably meant by word, or "".
type Nearest = func(word string, known []string) string

func unknown(problem, word string, known []string) *UnknownError {
	return &UnknownError{Problem: problem, meant: func(nearest Nearest) (string, string) {
		return problem, nearest(word, known)
	}}
}

// Unknown returns what the error is about, the word that was probably meant, and what to try if no word is similar.
// This package does not compare words itself; nearest does.
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
