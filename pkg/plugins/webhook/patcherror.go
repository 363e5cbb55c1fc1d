package webhook

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/admsim/admsim/pkg/patch"
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

// mostShown is how many operations of a patch are shown.
const mostShown = 10

// faultOf says which operation of a patch does not apply, and lists them; it is empty if err is about something else.
func faultOf(p patch.Patch, err error) string {
	var failed interface{ Operation() int }
	if !errors.As(err, &failed) {
		return ""
	}
	all := p.Describe()
	if len(all) == 1 {
		return "the only operation of its patch does not apply: " + all[0]
	}
	text := fmt.Sprintf("operation %d of %d of its patch does not apply: %s", failed.Operation()+1, len(all), all[failed.Operation()])
	if len(all) > mostShown {
		return text
	}
	return text + "; all are: " + strings.Join(all, ", ")
}
