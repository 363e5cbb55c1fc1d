package world

import (
	"fmt"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/scenario"
)

// Ruleless warns about webhooks without rules, which are called for no request. There is one warning for each
// configuration.
func (w *World) Ruleless() (warnings []*scenario.Error) {
	for o := range w.sim.WebhookConfigurations() {
		var e *scenario.Error
		more := 0
		for i, one := range objects.Webhooks(o.Object) {
			switch {
			case len(one.Rules) > 0:
			case e != nil:
				more++
			default:
				e = &scenario.Error{
					Source:  scenario.ParseSource(o.PlaceOf(fmt.Sprintf("webhooks[%d]", i))),
					Message: fmt.Sprintf("webhook %q has no rules, and is called for no request", one.Name),
					Hint:    "some controllers write the rules when they run: use the configuration as it is in a cluster (admsim snapshot, --from-cluster)",
				}
			}
		}
		if more > 0 {
			e.Message += fmt.Sprintf("; the same goes for %d more", more)
		}
		if e != nil {
			warnings = append(warnings, e)
		}
	}
	return warnings
}
