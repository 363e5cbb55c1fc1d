package webhook

import (
	"errors"
	"regexp"
	"strings"
)

// errorContext is what errors about a JSON patch say around what went wrong.
var errorContext = regexp.MustCompile(`^error (?:in (?:add|remove|move) for path: '[^']*'|while adding value during copy): |: missing value$`)

// withoutContext words an error about a JSON patch as servers up to 1.15 did, whose library said less.
func withoutContext(err error) error {
	text := errorContext.ReplaceAllString(err.Error(), "")
	if strings.Contains(text, " operation does not apply: ") {
		text = "jsonpatch " + text
	}
	return errors.New(text)
}
