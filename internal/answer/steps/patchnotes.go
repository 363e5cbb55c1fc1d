package steps

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/jsonpointer"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/report/document"
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
	patched, err := b.patched(h)
	if err != nil {
		return notes // the hook reports that itself
	}
	if n := b.beside(h, patched, changes); n > 0 {
		notes = append(notes, words.AreCounted(n, "of these changes is", "of these changes are")+" not in its patch, but made by the server, which sets defaults when it reads a patched object")
	}
	switch dropped := b.dropped(h, patched); len(dropped) {
	case 0:
	case 1:
		notes = append(notes, fmt.Sprintf("field %s is unknown to %s and was dropped", dropped[0], h.Kind.Kind))
	default:
		notes = append(notes, fmt.Sprintf("fields %s are unknown to %s and were dropped", strings.Join(dropped, ", "), h.Kind.Kind))
	}
	return notes
}

// beside counts the changes to fields that a patch did not change. There are few in a request that went through the API
// server, since all defaults were set before admission; the object of a review that was written by hand may lack them.
func (b *Builder) beside(h trace.Hook, patched []byte, changes []report.Change) (n int) {
	before, err := b.seen.value(h.Before)
	if err != nil {
		return 0
	}
	after, err := document.Decoded(patched)
	if err != nil {
		return 0
	}
	own := patch.DiffValues(before, after)
	for i, o := range own {
		list, last := path.Split(o.Path)
		_, exists := jsonpointer.Lookup(before, o.Path) // an item that is added where one exists is not the last one
		if strings.Trim(last, "0123456789") == "" && (o.Op == "remove" || o.Op == "add" && exists) {
			own[i].Path = strings.TrimSuffix(list, "/") // other items of the list move
		}
	}
	for _, c := range changes {
		if !slices.ContainsFunc(own, func(o patch.Operation) bool {
			return strings.HasPrefix(c.Path+"/", o.Path+"/") || strings.HasPrefix(o.Path+"/", c.Path+"/")
		}) {
			n++
		}
	}
	return n
}

// patched returns the object of a hook with its patch, before the server reads it.
func (b *Builder) patched(h trace.Hook) ([]byte, error) {
	operations, err := patch.DecodeJSON(h.Patch)
	if err != nil {
		return nil, err
	}
	doc, err := b.seen.types.Encode(h.Before)
	if err != nil {
		return nil, err
	}
	return operations.Apply(doc)
}

// mutates reports whether the mutations of a policy were evaluated. They drop nothing silently (W-306).
func mutates(h trace.Hook) bool {
	return slices.ContainsFunc(h.Expressions, func(e trace.Expression) bool {
		return strings.HasPrefix(strings.TrimPrefix(e.Field, "spec."), "mutations[") && e.Error == ""
	})
}

// dropped returns the fields that the patch sets and the kind does not have (W-210, W-212).
func (b *Builder) dropped(h trace.Hook, patched []byte) (fields []string) {
	_, faults, err := b.seen.types.DecodePatched(patched, h.Kind, objects.Warn)
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
