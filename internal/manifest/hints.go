package manifest

import (
	"fmt"

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
