package rules

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/celquirks"
)

// SchemaPanics is the error about a custom resource at which the validator of schemas panics (ER-08a).
const SchemaPanics = "the server panics at an object in the field properties"

// Panicked reports whether the server panics instead of returning an error: the checker of CEL does at some expressions
// (W-344), the validator of schemas at some custom resources ([SchemaPanics]).
func Panicked(errs field.ErrorList) bool {
	return slices.ContainsFunc(errs, func(e *field.Error) bool {
		return strings.Contains(e.Detail, celquirks.CheckerPanics) || strings.HasSuffix(e.Detail, SchemaPanics)
	})
}
