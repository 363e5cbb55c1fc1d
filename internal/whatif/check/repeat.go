package check

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/fields"
	"github.com/admsim/admsim/internal/whatif/variant"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// idempotence calls each mutator that changed something again, alone, with its own output.
func (a *attempt) idempotence(*simulator.Result) error {
	for _, one := range mutators(a.admission) {
		if !a.repeatable(one) {
			continue
		}
		a.mutations++
		again, err := a.alone(one.Actor, one.After)
		switch {
		case err != nil:
			return err
		case again == nil:
		case again.Outcome.Ends():
			a.report(Finding{Check: Idempotence, Webhook: one.Actor, Text: "refuses its own output", Remedy: repeatRemedy}, again.Denial.Message)
		case again.Outcome == trace.Changed:
			a.reportRepeats(Idempotence, one.Actor, again)
		}
	}
	return nil
}

const repeatRemedy = "check first whether the change has been made already"

// repeatable reports whether a mutator can be called again with its own output.
func (a *attempt) repeatable(one acted) bool {
	return one.Outcome == trace.Changed && one.After.GetObjectKind().GroupVersionKind() == a.admission.Request.Object.GetObjectKind().GroupVersionKind()
}

// reportRepeats reports what a mutator changed in its own output.
func (a *attempt) reportRepeats(check Name, by document.Actor, again *trace.Hook) {
	text := "called with its own output, it changes it again"
	if isPolicy(by) {
		text = "applied to its own output, it changes it again"
	}
	for _, op := range differences(a.admission, again.Before, again.After) {
		a.report(Finding{Check: check, Webhook: by, Field: fields.Anywhere(op.Path), Text: text, Remedy: repeatRemedy}, words(op))
	}
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
// idempotence, if that is checked too.
func (a *attempt) reinvocation(*simulator.Result) error {
	left, err := a.unsettled(a.admission)
	if err != nil {
		return err
	}
	for _, r := range left.repeats {
		if a.has(Idempotence) {
			a.repeaters = append(a.repeaters, r.by)
		} else {
			a.reportRepeats(Reinvocation, r.by, r.again)
		}
	}
	if len(left.changes) == 0 {
		return nil
	}
	helps, err := a.ifNeededHelps()
	if err != nil {
		return err
	}
	for _, c := range left.changes {
		f := Finding{
			Check: Reinvocation, Webhook: c.by, Other: c.after, Field: fields.Anywhere(c.op.Path),
			Text:   "would change the object again after all that the server does",
			Remedy: "reinvocationPolicy: IfNeeded would not settle it either: one undoes what the other does",
		}
		if helps {
			f.Remedy = "reinvocationPolicy: IfNeeded settles it"
		}
		a.report(f, words(c.op))
	}
	return nil
}

// unsettled is what mutators would still change in the outcome of an admission.
type unsettled struct {
	changes []unsettledChange
	repeats []repeat // of mutators that change even their own output
}

type unsettledChange struct {
	by    document.Actor
	after document.Actor // the mutator that changed the field afterwards, or else the object
	op    patch.Operation
}

type repeat struct {
	by    document.Actor
	again *trace.Hook
}

func (a *attempt) unsettled(of trace.Admission) (left unsettled, err error) {
	for _, one := range mutators(of) {
		did, err := a.alone(one.Actor, mutated(of))
		if err != nil {
			return unsettled{}, err
		}
		if did == nil || did.Outcome != trace.Changed {
			continue
		}
		if a.repeatable(one) {
			again, err := a.alone(one.Actor, one.After)
			if err != nil {
				return unsettled{}, err
			}
			if again != nil && again.Outcome == trace.Changed {
				left.repeats = append(left.repeats, repeat{one.Actor, again})
				continue
			}
		}
		later := changesAfter(of, one.Actor)
		for _, op := range differences(of, did.Before, did.After) {
			left.changes = append(left.changes, unsettledChange{one.Actor, lastChanger(of, later, op.Path), op})
		}
	}
	return left, nil
}

// changesAfter returns what changed the object after the last call of a mutator, in all rounds.
func changesAfter(of trace.Admission, by document.Actor) (later []acted) {
	for _, step := range of.Steps {
		if step.Plugin != document.MutatingWebhooks && step.Plugin != document.MutatingPolicies {
			continue
		}
		for _, h := range step.Hooks {
			one := acted{whatif.Actor(step, h), h}
			one.Actor.Configuration = variant.Original(one.Actor.Configuration)
			switch {
			case one.is(by) && acts(h):
				later = nil
			case h.Outcome == trace.Changed:
				later = append(later, one)
			}
		}
	}
	return later
}

// lastChanger returns which of some mutators was the last to change a field, or to change anything if none changed the
// field: what the last one did made the first act again.
func lastChanger(of trace.Admission, changed []acted, field string) document.Actor {
	for _, one := range slices.Backward(changed) {
		for _, op := range differences(of, one.Before, one.After) {
			if within(op.Path, field) || within(field, op.Path) {
				return one.Actor
			}
		}
	}
	if len(changed) == 0 {
		return document.Actor{}
	}
	return changed[len(changed)-1].Actor
}

// within reports whether a JSON pointer is another one, or points into what that points to.
func within(pointer, outer string) bool {
	rest, found := strings.CutPrefix(pointer, outer)
	return found && (rest == "" || rest[0] == '/')
}

// ifNeededHelps reports whether the object would settle if every mutator were called again when needed.
func (a *attempt) ifNeededHelps() (bool, error) {
	again, err := a.run(a.hooks.IfNeeded(), a.admission.Request.Object)
	if err != nil {
		return false, err
	}
	left, err := a.unsettled(again)
	return len(left.changes) == 0, err
}
