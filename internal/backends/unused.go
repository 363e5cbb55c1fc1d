package backends

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
)

// Unused is what was declared for webhooks but not needed.
type Unused struct {
	Misnamed scenario.Errors    // backends that were never called, since no webhook has their name
	NotAsked []scenario.Backend // other backends that were never called
	NotGiven scenario.Errors    // unused answers of mocks that were called
}

// Unused returns what was not needed, of backends for the webhooks of some clusters. Answers of a mock that chooses by
// conditions are only included if conditional is set: the cases of a suite should need all of them, but a single
// request meets only some conditions.
func (b *Backends) Unused(conditional bool, in ...*simulator.Simulator) (u Unused) {
	var webhooks []simulator.Webhook
	for _, sim := range in {
		webhooks = append(webhooks, sim.Webhooks()...)
	}
	for i, d := range b.declared {
		m, isMock := b.ready[i].(*mock)
		switch {
		case !b.ready[i].used():
			if e := misnamed(d, webhooks); e != nil {
				u.Misnamed = append(u.Misnamed, e)
			} else {
				u.NotAsked = append(u.NotAsked, d)
			}
		case isMock && (conditional || !m.conditional()):
			u.NotGiven = append(u.NotGiven, m.notGiven()...)
		}
	}
	return u
}

// misnamed returns the error about a backend that matches no existing webhook.
func misnamed(d scenario.Backend, webhooks []simulator.Webhook) *scenario.Error {
	route, known := dispatch.Route{Webhook: d.Webhook}, make([]string, 0, 2*len(webhooks))
	for _, w := range webhooks {
		if route.Matches(w.Configuration, w.Name) {
			return nil
		}
		known = append(known, w.Name, w.String())
	}
	unknown := didyoumean.Unknown(fmt.Sprintf("this backend is for webhook %q, but no webhook has that name", d.Webhook), d.Webhook, known)
	e := &scenario.Error{Source: d.Source, Message: unknown.Problem, Hint: unknown.Hint()}
	switch {
	case e.Hint != "":
	case len(webhooks) == 0:
		e.Hint = "the cluster has no webhooks: is the manifest of their configuration among those loaded?"
	default:
		e.Hint = fmt.Sprintf("want the name of a webhook, or configuration/name, such as %s;", webhooks[0])
	}
	e.Hint += " --allow-unused accepts it"
	return e
}

func (m *mock) used() bool {
	n := len(m.declared.Answers)
	return n == 0 || len(m.Unused()) < n
}

// conditional reports whether the mock chooses its answers by conditions. Its answers without a condition are then for
// calls for which no condition holds, and it is normal that requests do not need all of them.
func (m *mock) conditional() bool {
	return slices.ContainsFunc(m.declared.Answers, func(a scenario.Answer) bool { return a.When != "" })
}

func (m *mock) notGiven() (errs scenario.Errors) {
	d := m.declared
	for _, n := range m.Unused() {
		errs = append(errs, &scenario.Error{
			Source:  d.Answers[n].Source,
			Message: fmt.Sprintf("answer %d of the mock of %q was never given", n+1, d.Webhook),
			Hint:    m.whenGiven(n) + ", or drop it; --allow-unused accepts it",
		})
	}
	return errs
}

// whenGiven says which request gets the answer at a position.
func (m *mock) whenGiven(n int) string {
	if m.declared.Answers[n].When != "" {
		return "send a request for which its when is true"
	}
	call := 1
	for _, earlier := range m.declared.Answers[:n] {
		if earlier.When == "" {
			call++
		}
	}
	if call > 1 {
		return fmt.Sprintf("it is for call %d of the webhook within one request: send a request that leads to that many", call)
	}
	return "send a request for which no when of the mock is true"
}
