package rules

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/celquirks"
)

// CheckerPanicked reports whether an error is about an expression at which the checker of CEL panics (W-344).
func CheckerPanicked(errs field.ErrorList) bool {
	return slices.ContainsFunc(errs, func(e *field.Error) bool { return strings.Contains(e.Detail, celquirks.CheckerPanics) })
}
