package admsimtest

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/simulator"
)

// requireName ends the test if no webhook or policy has this name, neither before nor after the request: a check for
// such a name would hold whatever the webhooks do.
func (r *Result) requireName(name string) {
	r.t.Helper()
	known := append(namesIn(r.before), namesIn(r.after)...)
	if !slices.Contains(known, name) {
		r.fatalf("%v", didyoumean.Unknown(fmt.Sprintf("the cluster has no webhook or policy %q", name), name, known))
	}
}

// namesIn returns the names by which checks refer to the webhooks and policies of a cluster.
func namesIn(sim *simulator.Simulator) (names []string) {
	for _, w := range sim.Webhooks() {
		names = append(names, w.Name, w.String())
	}
	policies, _ := sim.Policies()
	for _, p := range policies {
		names = append(names, p.Name)
		for _, b := range p.Bindings {
			names = append(names, p.Name+"/"+b.Name)
		}
	}
	return names
}
