package check

import (
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/fields"
	"github.com/admsim/admsim/internal/whatif/variant"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// idempotence calls each webhook that changed something again, alone, with its own output, and does the same with
// policies.
func (a *attempt) idempotence(*simulator.Result) error {
	for _, one := range slices.Concat(mutators(a.admission, 0), mutatingPolicies(a.admission)) {
		if one.Outcome != trace.Changed || one.After.GetObjectKind().GroupVersionKind() != a.admission.Request.Object.GetObjectKind().GroupVersionKind() {
			continue
		}
		a.mutations++
		again, err := a.alone(one)
		if err != nil {
			return err
		}
		const remedy = "check first whether the change has been made already"
		for _, h := range again {
			switch {
			case h.Outcome.Ends():
				a.report(Finding{Check: Idempotence, Webhook: one.Actor, Text: "refuses its own output", Remedy: remedy}, h.Denial.Message)
			case h.Outcome == trace.Changed:
				text := "called with its own output, it changes it again"
				if one.Plugin == whatif.MutatingPolicies {
					text = "applied to its own output, it changes it again"
				}
				for _, op := range differences(a.admission, h.Before, h.After) {
					a.report(Finding{Check: Idempotence, Webhook: one.Actor, Field: fields.Anywhere(op.Path), Text: text, Remedy: remedy}, words(op))
				}
			}
		}
	}
	return nil
}

// alone returns what a webhook or policy does to its own output, without any others of its kind.
func (a *attempt) alone(one acted) ([]acted, error) {
	if one.Plugin == whatif.MutatingWebhooks {
		again, err := a.run(a.webhooks.Only(one.Actor), one.After)
		return mutators(again, 0), err
	}
	sim, err := a.item.World.Trial(0, a.item.Asked[0].Simulator.State())
	if err == nil {
		sim, err = variant.OnlyMutatingPolicy(sim, one.Actor)
	}
	if err != nil {
		return nil, err
	}
	again, err := a.admit(sim, one.After)
	return mutatingPolicies(again), err
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

// reinvocation calls all mutating webhooks again with their combined output. A webhook that changes its own output is
// left to idempotence.
func (a *attempt) reinvocation(*simulator.Result) error {
	if len(mutators(a.admission, 0)) < 2 {
		return nil
	}
	unsettled, err := a.unsettled(a.webhooks, a.admission)
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
			Remedy: "reinvocationPolicy: IfNeeded would not settle it either: the webhooks undo what others do",
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
	after document.Actor // the webhook that changed the object afterwards
	op    patch.Operation
}

// unsettled returns the webhooks that would still change the outcome of an admission.
func (a *attempt) unsettled(v variant.Variant, of trace.Admission) (all []unsettled, err error) {
	first := mutators(of, 0)
	for i, one := range first {
		alone, err := a.run(v.Only(one.Actor), mutated(of))
		if err != nil {
			return nil, err
		}
		for _, h := range mutators(alone, 0) {
			if h.Outcome != trace.Changed || a.repeats(v, one) {
				continue
			}
			var after document.Actor
			for _, later := range first[i+1:] {
				if later.Outcome == trace.Changed {
					after = later.Actor
				}
			}
			for _, op := range differences(alone, h.Before, h.After) {
				all = append(all, unsettled{one.Actor, after, op})
			}
		}
	}
	return all, nil
}

// repeats reports whether a webhook changes its own output.
func (a *attempt) repeats(v variant.Variant, one acted) bool {
	if one.Outcome != trace.Changed {
		return false
	}
	again, err := a.run(v.Only(one.Actor), one.After)
	if err != nil {
		return false
	}
	for _, h := range mutators(again, 0) {
		if h.Outcome == trace.Changed {
			return true
		}
	}
	return false
}

// ifNeededHelps reports whether the object would settle if every webhook were called again when needed.
func (a *attempt) ifNeededHelps() (bool, error) {
	v := a.webhooks.IfNeeded()
	again, err := a.run(v, a.admission.Request.Object)
	if err != nil {
		return false, err
	}
	left, err := a.unsettled(v, again)
	return len(left) == 0, err
}
