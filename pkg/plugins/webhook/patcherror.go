package webhook

import (
	"errors"
	"regexp"
	"strings"
	"sync"
)

// errorContext matches the context that errors about a JSON patch give in addition to what went wrong.
var errorContext = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^error (?:in (?:add|remove|move) for path: '[^']*'|while adding value during copy): |: missing value$`)
})

// withoutContext rewrites an error about a JSON patch in the words of servers up to 1.15, whose library said less.
func withoutContext(err error) error {
	text := errorContext().ReplaceAllString(err.Error(), "")
	if strings.Contains(text, " operation does not apply: ") {
		text = "jsonpatch " + text
	}
	return errors.New(text)
}
