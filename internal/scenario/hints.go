package scenario

import (
	"fmt"
	"strings"

	validation "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/didyoumean"
)

// didYouMean is a hint with the one of known that word was probably meant to be, empty
// where none is near.
func didYouMean(word string, known []string) string {
	if near := didyoumean.Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// unsupportedHint helps with a value that is none of those that the server takes, which its message
// lists in quotes.
func unsupportedHint(e *validation.Error) string {
	if e.Type != validation.ErrorTypeNotSupported {
		return ""
	}
	var known []string
	for i, part := range strings.Split(e.Detail, `"`) {
		if i%2 == 1 {
			known = append(known, part)
		}
	}
	return didYouMean(fmt.Sprint(e.BadValue), known)
}
