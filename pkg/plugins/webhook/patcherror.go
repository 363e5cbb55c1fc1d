package webhook

import (
	"errors"
	"fmt"

	"github.com/admsim/admsim/pkg/patch"
)

// faultOf says which operation of a patch does not apply, or that the result is not an object of the kind, and what to
// change.
func faultOf(p patch.Patch, kind string, err error) (fault, hint string) {
	const notCovered = "; failurePolicy does not cover a patch that cannot be applied"
	if failed, ok := errors.AsType[*patch.OperationError](err); ok {
		fault, hint = p.Fault(failed)
		return fault, hint + notCovered
	}
	shown, few := p.Shown()
	if fault = fmt.Sprintf("after its patch, the object cannot be read as a %s: %s", kind, shown); !few {
		fault = fmt.Sprintf("after its patch of %d operations, the object cannot be read as a %s", p.Len(), kind)
	}
	return fault, "the patch must leave every field with a value of its type" + notCovered
}
