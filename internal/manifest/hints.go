package manifest

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/didyoumean"
)

// DidYouMean returns a hint with the known word that word was probably meant to be, empty if none is similar.
func DidYouMean(word string, known []string) string {
	return didYouMean(didyoumean.Nearest(word, known))
}

func didYouMean(meant string) string {
	if meant == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", meant)
}

// alsoCalled maps names that other tools, or people, use to our keys.
var alsoCalled = map[string]string{
	"match": "when", "if": "when", "condition": "when", "expression": "when",
	"denied": "deny", "reject": "deny", "delay": "latency",
	"validatingPolicy": "policy", "mutatingPolicy": "policy",
}

// meantKey returns the known key that key was probably meant to be, empty if none is similar.
func meantKey(key string, known []string) string {
	if ours := alsoCalled[key]; slices.Contains(known, ours) {
		return ours
	}
	return didyoumean.Nearest(key, known)
}
