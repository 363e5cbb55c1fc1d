package world

import (
	"fmt"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/simulator"
)

// Ungated warns about policies that the server stores but never evaluates, because the feature gate of their plugin is
// off. There is one warning for each kind.
func (w *World) Ungated() (warnings []*scenario.Error) {
	off := map[string][]simulator.Policy{}
	var kinds []string
	policies, _ := w.sim.Policies()
	for _, p := range policies {
		if !w.sim.Release().Disabled(p.Kind) { // the gate, the plugin and the kind have the same name
			continue
		}
		if off[p.Kind] == nil {
			kinds = append(kinds, p.Kind)
		}
		off[p.Kind] = append(off[p.Kind], p)
	}
	for _, kind := range kinds {
		first, more := off[kind][0], len(off[kind])-1
		e := &scenario.Error{
			Source:  scenario.ParseSource(first.Source),
			Message: fmt.Sprintf("%s %q does nothing: the feature gate %s is off in Kubernetes %s", kind, first.Name, kind, w.sim.Release().Version),
			Hint:    fmt.Sprintf("--feature-gates %s=true enables it", kind),
		}
		if more > 0 {
			e.Message += fmt.Sprintf("; the same goes for %d more", more)
		}
		warnings = append(warnings, e)
	}
	return warnings
}
