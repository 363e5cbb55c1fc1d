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
	all := p.Describe()
	failed, ok := errors.AsType[*patch.OperationError](err)
	switch {
	case !ok && len(all) > mostShown:
		fault = fmt.Sprintf("after its patch of %d operations, the object cannot be read as a %s", len(all), kind)
	case !ok:
		fault = fmt.Sprintf("after its patch, the object cannot be read as a %s: %s", kind, strings.Join(all, ", "))
	case len(all) == 1:
		fault = "the only operation of its patch does not apply: " + all[0]
	default:
		fault = fmt.Sprintf("operation %d of %d of its patch does not apply: %s", failed.Index+1, len(all), all[failed.Index])
		if len(all) <= mostShown {
			fault += "; all are: " + strings.Join(all, ", ")
		}
	}
	switch {
	case !ok:
		return fault, "the patch must leave every field with a value of its type" + notCovered
	case failed.TestFailed:
		return fault, "the object has no such value where the patch tests it" + notCovered
	}
	return fault, "in the patch, replace and remove need something at their path, move needs something at its from, and the others need the parent of their path" + notCovered
}
