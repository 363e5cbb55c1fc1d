package manifest

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/didyoumean"
)

// didYouMean is a hint with the one of known that word was probably meant to be, empty
// where none is near.
func DidYouMean(word string, known []string) string {
	if near := didyoumean.Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// alsoCalled are what other tools, or people, call keys of ours.
var alsoCalled = map[string]string{
	"match": "when", "if": "when", "condition": "when", "expression": "when",
	"denied": "deny", "reject": "deny", "delay": "latency",
	"validatingPolicy": "policy", "mutatingPolicy": "policy",
}

// meantKey is the one of known keys that another one was probably meant to be, empty where none is near.
func meantKey(key string, known []string) string {
	if ours := alsoCalled[key]; slices.Contains(known, ours) {
		return ours
	}
	return didyoumean.Nearest(key, known)
}
