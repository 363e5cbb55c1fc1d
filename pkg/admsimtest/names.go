package admsimtest

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/simulator"
)

// has ends the test where no webhook or policy has a name, neither before nor after the request: what
// a check said of it would hold whatever the webhooks do.
func (r *Result) has(name string) {
	r.t.Helper()
	known := append(namesIn(r.found), namesIn(r.left)...)
	if !slices.Contains(known, name) {
		r.fatalf("%v", didyoumean.Unknown(fmt.Sprintf("the cluster has no webhook or policy %q", name), name, known))
	}
}

// namesIn are what checks call the webhooks and policies of a cluster by.
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
