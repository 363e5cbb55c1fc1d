package check

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif/fields"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// idempotence calls each mutator that changed something again, alone, with its own output.
func (a *attempt) idempotence(*simulator.Result) error {
	for _, one := range mutators(a.admission) {
		if one.Outcome != trace.Changed || one.After.GetObjectKind().GroupVersionKind() != a.admission.Request.Object.GetObjectKind().GroupVersionKind() {
			continue
		}
		a.mutations++
		again, err := a.alone(one.Actor, one.After)
		if err != nil {
			return err
		}
		const remedy = "check first whether the change has been made already"
		switch {
		case again == nil:
		case again.Outcome.Ends():
			a.report(Finding{Check: Idempotence, Webhook: one.Actor, Text: "refuses its own output", Remedy: remedy}, again.Denial.Message)
		case again.Outcome == trace.Changed:
			text := "called with its own output, it changes it again"
			if isPolicy(one.Actor) {
				text = "applied to its own output, it changes it again"
			}
			for _, op := range differences(a.admission, again.Before, again.After) {
				a.report(Finding{Check: Idempotence, Webhook: one.Actor, Field: fields.Anywhere(op.Path), Text: text, Remedy: remedy}, words(op))
			}
		}
	}
	return nil
}

// alone returns what a mutator does to an object without any others; nil if it is not called.
func (a *attempt) alone(by document.Actor, object runtime.Object) (*trace.Hook, error) {
	got, err := a.run(a.hooks.Only(by), object)
	return whatDid(got, by), err
}

// words describes an operation in a few words.
func words(op patch.Operation) string {
	switch op.Op {
	case "add":
		return "adds " + op.Path + ": " + string(op.Value)
	case "remove":
		return "removes " + op.Path + ": " + string(op.Old)
	}
	return fmt.Sprintf("changes %s: %s to %s", op.Path, op.Old, op.Value)
}

// reinvocation calls all mutators again with their combined output. A mutator that changes its own output is left to
// idempotence.
func (a *attempt) reinvocation(*simulator.Result) error {
	if len(mutators(a.admission)) < 2 {
		return nil
	}
	unsettled, err := a.unsettled(a.admission)
	if err != nil || len(unsettled) == 0 {
		return err
	}
	helps, err := a.ifNeededHelps()
	if err != nil {
		return err
	}
	for _, u := range unsettled {
		f := Finding{
			Check: Reinvocation, Webhook: u.by, Other: u.after, Field: fields.Anywhere(u.op.Path),
			Text:   "would change the object again after all that the server does",
			Remedy: "reinvocationPolicy: IfNeeded would not settle it either: one undoes what the other does",
		}
		if helps {
			f.Remedy = "reinvocationPolicy: IfNeeded settles it"
		}
		a.report(f, words(u.op))
	}
	return nil
}

type unsettled struct {
	by    document.Actor
	after document.Actor // the mutator that changed the object afterwards
	op    patch.Operation
}

// unsettled returns the mutators that would still change the outcome of an admission.
func (a *attempt) unsettled(of trace.Admission) (all []unsettled, err error) {
	first := mutators(of)
	for i, one := range first {
		did, err := a.alone(one.Actor, mutated(of))
		if err != nil {
			return nil, err
		}
		if did == nil || did.Outcome != trace.Changed || a.repeats(one) {
			continue
		}
		var after document.Actor
		if later := changers(first[i+1:]); len(later) > 0 {
			after = later[len(later)-1]
		}
		for _, op := range differences(of, did.Before, did.After) {
			all = append(all, unsettled{one.Actor, after, op})
		}
	}
	return all, nil
}

// repeats reports whether a mutator changes its own output.
func (a *attempt) repeats(one acted) bool {
	if one.Outcome != trace.Changed {
		return false
	}
	again, err := a.alone(one.Actor, one.After)
	return err == nil && again != nil && again.Outcome == trace.Changed
}

// ifNeededHelps reports whether the object would settle if every mutator were called again when needed.
func (a *attempt) ifNeededHelps() (bool, error) {
	again, err := a.run(a.hooks.IfNeeded(), a.admission.Request.Object)
	if err != nil {
		return false, err
	}
	left, err := a.unsettled(again)
	return len(left) == 0, err
}
