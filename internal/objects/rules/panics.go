package rules

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/celquirks"
	"github.com/admsim/admsim/pkg/admission"
)

// Panicked reports whether the server panics instead of returning an error: the checker of CEL does at some expressions
// (W-344), the validator of schemas at some values (ER-08a).
func Panicked(errs field.ErrorList) bool {
	return slices.ContainsFunc(errs, func(e *field.Error) bool {
		return strings.Contains(e.Detail, celquirks.CheckerPanics) || e.Type == field.ErrorTypeInternal && e.Detail == admission.ErrPanicked.Error()
	})
}
