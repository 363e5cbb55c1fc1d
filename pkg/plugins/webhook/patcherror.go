package webhook

import (
	"errors"
	"fmt"
	"strings"

	"github.com/admsim/admsim/pkg/patch"
)

// mostShown is how many operations of a patch are shown.
const mostShown = 10

// faultOf says which operation of a patch does not apply, or that the result is not an object of the kind, and what to
// change.
func faultOf(p patch.Patch, kind string, err error) (fault, hint string) {
	const notCovered = "; failurePolicy does not cover a patch that cannot be applied"
	if failed, ok := errors.AsType[*patch.OperationError](err); ok {
		fault, hint = p.Fault(failed)
		return fault, hint + notCovered
	}
	fault = fmt.Sprintf("after its patch, the object cannot be read as a %s: %s", kind, strings.Join(p.Describe(), ", "))
	if n := p.Len(); n > mostShown {
		fault = fmt.Sprintf("after its patch of %d operations, the object cannot be read as a %s", n, kind)
	}
	return fault, "the patch must leave every field with a value of its type" + notCovered
}
