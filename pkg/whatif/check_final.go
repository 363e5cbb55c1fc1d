package whatif

import (
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// finalState looks for who judged an object that changed later, and for who does not accept
// what others made.
func (a *attempt) finalState(result *simulator.Result) error {
	called := mutators(a.admission, 0)
	changed := false
	for _, one := range called {
		changed = changed || one.Outcome == trace.Changed
	}
	if !changed {
		return nil
	}
	if !allowed(result) {
		return a.refusedOutcome(result, called)
	}
	final := mutated(a.admission)
	for i, one := range called {
		later := lastChange(called[i+1:])
		if later == nil {
			continue
		}
		again, err := a.run(a.webhooks.only(one.Actor), final)
		if err != nil {
			return err
		}
		for _, h := range mutators(again, 0) {
			if h.Outcome == trace.Denied {
				a.report(Finding{
					Check: FinalState, Webhook: one.Actor, Other: later.Actor,
					Text:   "admits the request, and would refuse what becomes of it",
					Remedy: "refuse in a validating webhook, which sees the object as it will be",
				}, h.Denial.Message)
			}
		}
	}
	return nil
}

func lastChange(hooks []acted) *acted {
	for i := len(hooks) - 1; i >= 0; i-- {
		if hooks[i].Outcome == trace.Changed {
			return &hooks[i]
		}
	}
	return nil
}

// refusedOutcome tells whether the request is refused because of what webhooks made of it.
func (a *attempt) refusedOutcome(result *simulator.Result, called []acted) error {
	by := decider(result)
	if by.Plugin == mutatingWebhooks {
		return nil
	}
	asked := a.turn.asked[0]
	v := a.webhooks
	v.mutating = nil
	sim, err := v.in(a.varied(), asked.Simulator.State())
	if err != nil {
		return err
	}
	asked.Simulator = sim
	without, err := asked.Answer(a.ctx)
	if err != nil || !allowed(without) {
		return err
	}
	f := Finding{
		Check: FinalState, Webhook: by, Other: lastChange(called).Actor,
		Text:   "refuses what a mutating webhook makes of a request that it would admit",
		Remedy: "have one of the two leave such objects alone",
	}
	if by == (Actor{}) {
		f.Text = "finds invalid what a mutating webhook makes of a valid object"
		f.Remedy = "the patch of the webhook is wrong for such objects"
	}
	a.report(f, message(result))
	return nil
}
