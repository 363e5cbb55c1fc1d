package rest

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
)

// droppedFields says which fields of the written object were dropped because their gates are off, and which the server
// ignored. A client is never told; kubectl of releases whose server ignores unknown fields refuses them itself.
func (x *exchange) droppedFields() string {
	return x.droppedWhere(func(objects.DroppedField) bool { return true })
}

// hintForDropped says the same of gated fields that are missing beside an error, and of all ignored ones.
func (x *exchange) hintForDropped(errs field.ErrorList) string {
	return x.droppedWhere(func(d objects.DroppedField) bool {
		return slices.ContainsFunc(errs, func(e *field.Error) bool { return d.Beside(e.Field) })
	})
}

func (x *exchange) droppedWhere(counts func(objects.DroppedField) bool) string {
	var all []string
	for _, f := range x.dropped {
		if !counts(f) {
			continue
		}
		why := "default in " + x.server.release().Version
		if !x.server.release().OffByDefault(f.Gate) {
			why = "--feature-gates"
		}
		if text := fmt.Sprintf("field %s dropped: the gate %s is off (%s)", f.Path, f.Gate, why); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	for _, fault := range x.ignored {
		text := fmt.Sprintf("%s: ignored by a server of %s", fault, x.server.release().Version)
		if strings.HasPrefix(fault, "unknown field") {
			text += ", refused by its kubectl"
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}
