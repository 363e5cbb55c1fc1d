package world

import (
	"fmt"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/scenario"
)

// Unbound warns about bindings whose policy the cluster does not have: the server silently evaluates nothing, so that a
// request passes as if the policy had allowed it.
func (w *World) Unbound() (warnings []*scenario.Error) {
	policies, lost := w.sim.Policies()
	for _, b := range lost {
		var known []string
		for _, p := range policies {
			if p.GroupKind == b.Policy.GroupKind {
				known = append(known, p.Name)
			}
		}
		problem := fmt.Sprintf("binding %q does nothing: there is no %s %q", b.Name, b.Policy.Kind, b.Policy.Name)
		unknown := didyoumean.Unknown(problem, b.Policy.Name, known)
		e := &scenario.Error{Source: scenario.ParseSource(b.PlaceOf("spec.policyName")), Message: unknown.Problem, Hint: unknown.Hint()}
		if e.Hint == "" {
			e.Hint = "load the manifest of the policy, too, or correct policyName"
		}
		warnings = append(warnings, e)
	}
	return warnings
}
