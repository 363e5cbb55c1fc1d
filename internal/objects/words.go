package objects

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Names from package rules that callers use as well.
type (
	BrokenRule   = rules.BrokenRule
	Converter    = rules.Converter
	Options      = rules.Options
	Strictness   = rules.Strictness
	Write        = rules.Write
	DroppedField = rules.DroppedField
)

const (
	Ignore = rules.Ignore
	Warn   = rules.Warn
	Strict = rules.Strict
)

// NoReplicas is the number of replicas that the server puts in the Scale of an object without any, before it applies an
// update, to learn whether the update sets them.
const NoReplicas = rules.NoReplicas

// RangeFull is the error for an address when none is left.
const RangeFull = rules.RangeFull

// ErrNoConverter says that a conversion needs a webhook, which [Options] does not have.
var ErrNoConverter = rules.ErrNoConverter

// Worded returns errors in the wording of the release.
func (t *Types) Worded(errs field.ErrorList) field.ErrorList {
	return rules.Worded(t.options.Release, errs)
}

// FaultTexts returns the warnings about faults of a body.
func FaultTexts(faults []error) []string { return rules.FaultTexts(faults) }

// Panicked reports whether the server panics instead of returning an error.
func Panicked(errs field.ErrorList) bool { return rules.Panicked(errs) }

// InternalDiff returns the server's diff of a part that must not change.
func InternalDiff(r *kubeversion.Release, old, obj any) string {
	return rules.InternalDiff(r, old, obj)
}
