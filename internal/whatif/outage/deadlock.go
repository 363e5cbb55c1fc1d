package outage

import (
	"context"
	"reflect"
	"slices"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/trouble"
)

// enter adds the deadlocks of a world that is new, as far as webhooks in trouble are part of them.
func (r *run) enter(w *traffic.World) {
	if r.world == w {
		return
	}
	r.world = w
	for _, d := range deadlocks(r.ctx, w.Dependencies()) {
		known := slices.ContainsFunc(r.result.Deadlocks, func(other document.Deadlock) bool { return reflect.DeepEqual(d, other) })
		if !known && r.affects(d) {
			r.result.Deadlocks = append(r.result.Deadlocks, d)
		}
	}
}

// affects reports whether a webhook of a deadlock is in trouble in one of the situations.
func (r *run) affects(d document.Deadlock) bool {
	return slices.ContainsFunc(d.Breaks, func(b document.Break) bool {
		return slices.ContainsFunc(r.situations, func(s trouble.Situation) bool {
			return s.Affects(b.Webhook.Plugin, b.Webhook.Configuration, b.Webhook.Name)
		})
	})
}

func deadlocks(ctx context.Context, graph *dependency.Graph) (all []document.Deadlock) {
	for _, cycle := range graph.Cycles(ctx) {
		var d document.Deadlock
		for _, link := range cycle {
			one := document.DeadlockLink{Service: link.Backend.String()}
			for _, w := range link.Backend.Workloads {
				one.Workloads = append(one.Workloads, w.String())
			}
			for _, n := range link.Needs {
				by := whatif.Webhook(n.Webhook)
				if slices.ContainsFunc(one.Needs, func(m document.DeadlockNeed) bool { return m.Webhook == by }) {
					continue // of another workload behind the same service
				}
				one.Needs = append(one.Needs, document.DeadlockNeed{What: n.What, Webhook: by})
				d.Breaks = append(d.Breaks, document.Break{Webhook: by, Namespace: link.Backend.Namespace})
			}
			d.Links = append(d.Links, one)
		}
		all = append(all, d)
	}
	return all
}
