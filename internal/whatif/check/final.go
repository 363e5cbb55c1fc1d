package check

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// finalState finds webhooks that judged an object that changed later, and hooks that do not accept what others made of
// it.
func (a *attempt) finalState(result *simulator.Result) error {
	called := mutators(a.admission, 0)
	if len(changers(called)) == 0 {
		return nil
	}
	if !whatif.Allowed(result) {
		return a.refusedOutcome(result, called)
	}
	final := mutated(a.admission)
	for i, one := range called {
		later := changers(called[i+1:])
		if len(later) == 0 {
			continue
		}
		why, err := a.objection(one.Actor, final)
		if err != nil {
			return err
		}
		if why == "" {
			continue
		}
		maker, err := a.maker(later, func(left document.Actor) (bool, error) { return a.acceptsWithout(one.Actor, left) })
		if err != nil {
			return err
		}
		a.report(Finding{
			Check: FinalState, Webhook: one.Actor, Other: maker,
			Text:   "admits the request, but would refuse the object as it will be",
			Remedy: "refuse in a validating webhook, which sees the object as it will be",
		}, why)
	}
	return nil
}

// changers returns those of some webhooks that changed the object.
func changers(hooks []acted) (all []document.Actor) {
	for _, one := range hooks {
		if one.Outcome == trace.Changed {
			all = append(all, one.Actor)
		}
	}
	return all
}

// objection returns why a mutating webhook, on its own, refuses an object; "" if it does not.
func (a *attempt) objection(by document.Actor, object runtime.Object) (string, error) {
	got, err := a.run(a.webhooks.Only(by), object)
	if err != nil {
		return "", err
	}
	for _, h := range mutators(got, 0) {
		if h.Outcome == trace.Denied {
			return h.Denial.Message, nil
		}
	}
	return "", nil
}

// acceptsWithout reports whether a mutating webhook accepts the object that results if another webhook is removed.
func (a *attempt) acceptsWithout(judge, left document.Actor) (bool, error) {
	result, err := a.answerWithout(left)
	if err != nil || !whatif.Allowed(result) {
		return false, err
	}
	why, err := a.objection(judge, mutated(result.Admissions[0]))
	return why == "", err
}

// refusedOutcome reports a finding if the request is refused because of what webhooks made of it.
func (a *attempt) refusedOutcome(result *simulator.Result, called []acted) error {
	by := whatif.Decider(result)
	if by.Plugin == whatif.MutatingWebhooks {
		return nil
	}
	var all []document.Actor
	for _, one := range called {
		all = append(all, one.Actor)
	}
	if admitted, err := a.admittedWithout(all...); !admitted || err != nil {
		return err
	}
	maker, err := a.maker(changers(called), func(left document.Actor) (bool, error) { return a.admittedWithout(left) })
	if err != nil {
		return err
	}
	f := Finding{
		Check: FinalState, Webhook: by, Other: maker,
		Text:   "refuses what a mutating webhook makes of a request that it would admit",
		Remedy: "have one of the two leave such objects alone",
	}
	if by == (document.Actor{}) {
		f.Text = "finds invalid what a mutating webhook makes of a valid object"
		f.Remedy = "the patch of the webhook is wrong for such objects"
	}
	a.report(f, whatif.Message(result))
	return nil
}

// maker returns the last of some webhooks without which nothing is refused, or no actor if removing a single webhook is
// not enough.
func (a *attempt) maker(changed []document.Actor, acceptedWithout func(document.Actor) (bool, error)) (document.Actor, error) {
	for _, one := range slices.Backward(changed) {
		if accepted, err := acceptedWithout(one); accepted || err != nil {
			return one, err
		}
	}
	return document.Actor{}, nil
}

// admittedWithout reports whether the request is admitted if some mutating webhooks are removed.
func (a *attempt) admittedWithout(names ...document.Actor) (bool, error) {
	result, err := a.answerWithout(names...)
	return err == nil && whatif.Allowed(result), err
}

func (a *attempt) answerWithout(names ...document.Actor) (*simulator.Result, error) {
	sim, err := a.varied(a.webhooks.Without(names...))
	if err != nil {
		return nil, err
	}
	asked := a.item.Asked[0]
	asked.Simulator = sim
	return asked.Answer(a.ctx)
}
