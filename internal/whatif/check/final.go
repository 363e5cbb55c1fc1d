package check

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/variant"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// finalState finds mutators that judged an object that changed later, and hooks that do not accept what others made of
// it.
func (a *attempt) finalState(result *simulator.Result) error {
	called := mutators(a.admission)
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
		f := Finding{
			Check: FinalState, Webhook: one.Actor, Other: maker,
			Text:   "admits the request, but would refuse the object as it will be",
			Remedy: "refuse in a validating webhook, which sees the object as it will be",
		}
		if isPolicy(one.Actor) {
			f.Text = "can be applied to the request, but not to the object as it will be"
			f.Remedy = "an expression that also accepts what others make of such objects"
		}
		a.report(f, why)
	}
	return nil
}

// changers returns those of some mutators that changed the object.
func changers(hooks []acted) (all []document.Actor) {
	for _, one := range hooks {
		if one.Outcome == trace.Changed {
			all = append(all, one.Actor)
		}
	}
	return all
}

// objection returns why a mutator, on its own, refuses an object; "" if it does not.
func (a *attempt) objection(by document.Actor, object runtime.Object) (string, error) {
	did, err := a.alone(by, object)
	if err != nil || did == nil || did.Outcome != trace.Denied {
		return "", err
	}
	return variant.Originals(did.Denial.Message), nil
}

// acceptsWithout reports whether a mutator accepts the object that results if another one is removed.
func (a *attempt) acceptsWithout(judge, left document.Actor) (bool, error) {
	result, err := a.answerWithout(left)
	if err != nil || !whatif.Allowed(result) {
		return false, err
	}
	why, err := a.objection(judge, mutated(result.Admissions[0]))
	return why == "", err
}

// refusedOutcome reports a finding if the request is refused because of what mutators made of it.
func (a *attempt) refusedOutcome(result *simulator.Result, called []acted) error {
	by := whatif.Decider(result)
	var others []document.Actor
	for _, one := range called {
		if !one.is(by) {
			others = append(others, one.Actor)
		}
	}
	if admitted, err := a.admittedWithout(others...); !admitted || err != nil {
		return err
	}
	changed := changers(called)
	maker, err := a.maker(changed, func(left document.Actor) (bool, error) { return a.admittedWithout(left) })
	if err != nil {
		return err
	}
	what := "mutating webhook"
	if maker == (document.Actor{}) && slices.ContainsFunc(changed, isPolicy) {
		what += " or policy"
	} else if isPolicy(maker) {
		what = "mutating policy"
	}
	f := Finding{
		Check: FinalState, Webhook: by, Other: maker,
		Text:   "refuses what a " + what + " makes of a request that it would admit",
		Remedy: "have one of the two leave such objects alone",
	}
	if by == (document.Actor{}) {
		f.Text = "finds invalid what a " + what + " makes of a valid object"
		f.Remedy = "what it makes of such objects is wrong"
	}
	a.report(f, whatif.Message(result))
	return nil
}

// maker returns the last of some mutators without which nothing is refused, or no actor if removing a single one is not
// enough.
func (a *attempt) maker(changed []document.Actor, acceptedWithout func(document.Actor) (bool, error)) (document.Actor, error) {
	for _, one := range slices.Backward(changed) {
		if accepted, err := acceptedWithout(one); accepted || err != nil {
			return one, err
		}
	}
	return document.Actor{}, nil
}

// admittedWithout reports whether the request is admitted if some mutators are removed.
func (a *attempt) admittedWithout(names ...document.Actor) (bool, error) {
	result, err := a.answerWithout(names...)
	return err == nil && whatif.Allowed(result), err
}

func (a *attempt) answerWithout(names ...document.Actor) (*simulator.Result, error) {
	sim, err := a.hooks.Without(names...).In(a.bare)
	if err != nil {
		return nil, err
	}
	asked := a.item.Asked[0]
	asked.Simulator = sim
	return asked.Answer(a.ctx)
}
