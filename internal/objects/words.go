package objects

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The words that callers share with the rules of kinds.
type (
	BrokenRule = rules.BrokenRule
	Converter  = rules.Converter
	Options    = rules.Options
	Strictness = rules.Strictness
	Write      = rules.Write
)

const (
	Ignore = rules.Ignore
	Warn   = rules.Warn
	Strict = rules.Strict
)

// NoReplicas is what the server puts in the Scale of an object that does not say how many
// replicas it wants, before it applies an update, to learn whether that says it.
const NoReplicas = rules.NoReplicas

// RangeFull is why an address cannot be had where none is left.
const RangeFull = rules.RangeFull

// ErrNoConverter says that a conversion needs a webhook, and [Options] has none to ask.
var ErrNoConverter = rules.ErrNoConverter

// Worded says errors in the words that the release has for them.
func (t *Types) Worded(errs field.ErrorList) field.ErrorList {
	return rules.Worded(t.options.Release, errs)
}

// InternalDiff is how the server shows what changed in a part that must not.
func InternalDiff(r *kubeversion.Release, old, obj any) string {
	return rules.InternalDiff(r, old, obj)
}
