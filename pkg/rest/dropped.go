package rest

import (
	"fmt"
	"slices"
	"strings"
)

// droppedFields says which fields of the written object were dropped because their gates are off. A client is never told.
func (x *exchange) droppedFields() string {
	var all []string
	for _, f := range x.dropped {
		why := "default in " + x.server.release().Version
		if !x.server.release().OffByDefault(f.Gate) {
			why = "--feature-gates"
		}
		if text := fmt.Sprintf("field %s dropped: the gate %s is off (%s)", f.Path, f.Gate, why); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}
