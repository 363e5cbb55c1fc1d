package steps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// patchNotes describes the effects of a patch or mutation that its changes do not show.
func (b *Builder) patchNotes(h trace.Hook, changes []report.Change) (notes []string) {
	switch {
	case h.Outcome.Ends():
		return nil
	case mutates(h) && len(changes) == 0:
		return []string{"its mutations changed nothing"}
	case len(h.Patch) == 0 || h.Before == nil:
		return nil
	}
	if len(changes) == 0 {
		nothing := "answered with a patch that changed nothing"
		if h.Outcome == trace.Changed {
			// This is so for the first patch of a request: when it is compared, the times in managedFields have lost
			// their fractions of a second (W-214).
			nothing += ", which the server counts as a change"
		}
		notes = append(notes, nothing)
	}
	switch dropped := b.dropped(h); len(dropped) {
	case 0:
	case 1:
		notes = append(notes, fmt.Sprintf("field %s is unknown to %s and was dropped", dropped[0], h.Kind.Kind))
	default:
		notes = append(notes, fmt.Sprintf("fields %s are unknown to %s and were dropped", strings.Join(dropped, ", "), h.Kind.Kind))
	}
	return notes
}

// mutates reports whether the mutations of a policy were evaluated. They drop nothing silently (W-306).
func mutates(h trace.Hook) bool {
	return slices.ContainsFunc(h.Expressions, func(e trace.Expression) bool {
		return strings.HasPrefix(strings.TrimPrefix(e.Field, "spec."), "mutations[") && e.Error == ""
	})
}

// dropped returns the fields that the patch sets and the kind does not have (W-210, W-212).
func (b *Builder) dropped(h trace.Hook) (fields []string) {
	operations, err := patch.DecodeJSON(h.Patch)
	if err != nil {
		return nil
	}
	doc, err := b.seen.types.Encode(h.Before)
	if err != nil {
		return nil
	}
	if doc, err = operations.Apply(doc); err != nil {
		return nil // the hook reports that itself
	}
	_, faults, err := b.seen.types.DecodePatched(doc, h.Kind, objects.Warn)
	if err != nil {
		return nil
	}
	for _, fault := range faults {
		if quoted, is := strings.CutPrefix(fault, "unknown field "); is {
			fields = append(fields, strings.Trim(quoted, `"`))
		}
	}
	return fields
}
