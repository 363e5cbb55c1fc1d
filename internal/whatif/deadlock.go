package whatif

import (
	"context"
	"reflect"
	"slices"

	"github.com/admsim/admsim/internal/dependency"
)

// A Deadlock is backends of which none comes up again once all of them are down.
type Deadlock struct {
	Links  []DeadlockLink
	Breaks []Break // each of them is enough
}

// A DeadlockLink is the pods behind one backend, and who has to admit them.
type DeadlockLink struct {
	Service   string // namespace/name
	Workloads []string
	Needs     []DeadlockNeed
}

// A DeadlockNeed is a request that a webhook is in the way of.
type DeadlockNeed struct {
	What    string // such as: create pods
	Webhook Actor
}

// A Break is a way out of a deadlock.
type Break struct {
	Webhook   Actor
	Namespace string // to be left out by the webhook
}

// deadlocks adds those of a world that is new.
func (r *outage) deadlocks(s *shared) {
	if r.shared == s {
		return
	}
	r.shared = s
	for _, d := range deadlocks(r.ctx, s.graph()) {
		known := slices.ContainsFunc(r.result.Deadlocks, func(other Deadlock) bool { return reflect.DeepEqual(d, other) })
		if !known {
			r.result.Deadlocks = append(r.result.Deadlocks, d)
		}
	}
}

func deadlocks(ctx context.Context, graph *dependency.Graph) (all []Deadlock) {
	for _, cycle := range graph.Cycles(ctx) {
		var d Deadlock
		for _, link := range cycle {
			one := DeadlockLink{Service: link.Backend.String()}
			for _, w := range link.Backend.Workloads {
				one.Workloads = append(one.Workloads, w.String())
			}
			for _, n := range link.Needs {
				by := actorOf(n.Webhook)
				if slices.ContainsFunc(one.Needs, func(m DeadlockNeed) bool { return m.Webhook == by }) {
					continue // of another workload behind the same service
				}
				one.Needs = append(one.Needs, DeadlockNeed{n.What, by})
				d.Breaks = append(d.Breaks, Break{by, link.Backend.Namespace})
			}
			d.Links = append(d.Links, one)
		}
		all = append(all, d)
	}
	return all
}

func actorOf(w *dependency.Webhook) Actor {
	plugin := validatingWebhooks
	if w.Mutating {
		plugin = mutatingWebhooks
	}
	return Actor{Plugin: plugin, Configuration: w.Configuration, Name: w.Name, Source: w.Source}
}
