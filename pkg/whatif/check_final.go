package whatif

import (
	"slices"

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
	var all, changed []Actor
	for _, one := range called {
		all = append(all, one.Actor)
		if one.Outcome == trace.Changed {
			changed = append(changed, one.Actor)
		}
	}
	if admitted, err := a.admittedWithout(all...); !admitted || err != nil {
		return err
	}
	maker, err := a.maker(changed)
	if err != nil {
		return err
	}
	f := Finding{
		Check: FinalState, Webhook: by, Other: maker,
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

// maker is the last of some webhooks without which the request is admitted; nobody where any of
// several is enough for it to be refused.
func (a *attempt) maker(changed []Actor) (Actor, error) {
	for _, one := range slices.Backward(changed) {
		if admitted, err := a.admittedWithout(one); admitted || err != nil {
			return one, err
		}
	}
	return Actor{}, nil
}

// admittedWithout tells whether the request is admitted where some mutating webhooks are not there.
func (a *attempt) admittedWithout(names ...Actor) (bool, error) {
	asked := a.turn.asked[0]
	sim, err := a.varied(a.webhooks.without(names...), asked.Simulator.State())
	if err != nil {
		return false, err
	}
	asked.Simulator = sim
	result, err := asked.Answer(a.ctx)
	return err == nil && allowed(result), err
}
