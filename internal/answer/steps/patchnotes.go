package steps

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// patchNotes describes the effects of a patch or mutation that its changes do not show.
func (b *Builder) patchNotes(h trace.Hook, changes []report.Change) (notes []string) {
	switch {
	case h.PatchFault != "":
		return []string{h.PatchFault}
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
	if n := beside(h.Patch, changes); n > 0 {
		notes = append(notes, words.AreCounted(n, "of these changes is", "of these changes are")+" not in its patch, but made by the server, which sets defaults when it reads a patched object")
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

// beside counts the changes to fields that a patch does not mention. There are few in a request that went through the API
// server, since all defaults were set before admission; the object of a review that was written by hand may lack them.
func beside(text []byte, changes []report.Change) (n int) {
	var operations []struct{ Path, From string }
	if json.Unmarshal(text, &operations) != nil {
		return 0
	}
	for _, c := range changes {
		within := func(pointer string) bool {
			if parent, last := path.Split(pointer); last == "-" || strings.Trim(last, "0123456789") == "" {
				pointer = strings.TrimSuffix(parent, "/") // other items of the list move
			}
			return strings.HasPrefix(c.Path+"/", pointer+"/") || strings.HasPrefix(pointer+"/", c.Path+"/")
		}
		if !slices.ContainsFunc(operations, func(o struct{ Path, From string }) bool { return within(o.Path) || o.From != "" && within(o.From) }) {
			n++
		}
	}
	return n
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
