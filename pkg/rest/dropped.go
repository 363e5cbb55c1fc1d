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
	var unknown, others []string
	for _, fault := range x.ignored {
		if strings.HasPrefix(fault, "unknown field") {
			unknown = append(unknown, fault)
		} else {
			others = append(others, fault)
		}
	}
	ignored := ": ignored by a server of " + x.server.release().Version
	if len(unknown) > 0 {
		all = append(all, strings.Join(unknown, ", ")+ignored+", refused by its kubectl")
	}
	if len(others) > 0 {
		all = append(all, strings.Join(others, ", ")+ignored)
	}
	return strings.Join(all, "; ")
}
