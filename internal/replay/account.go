package replay

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/answer/steps"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// An account is how the answer to one request came about, beside what is recorded of it: see [lines.Account].
type account struct {
	asked  world.Asked
	result *simulator.Result

	recorded, simulated any // the bodies of the answers

	worker *worker
	record *recording.Record
}

// shown is the account as others see it, while the worker is at its request; nil if there is none.
func (a *account) shown() *lines.Account {
	if a == nil {
		return nil
	}
	return &lines.Account{
		Counts: steps.Counts(a.result.Code >= 400, a.result.Admissions),
		Answer: func() (*document.Answer, error) {
			return answer.New(a.asked, a.result, document.Usual, a.worker.redactor)
		},
		Recorded: a.recorded, Simulated: a.simulated,
		Calls: a.calls,
	}
}

func (a *account) calls() []lines.Call {
	shown := make([]lines.Call, len(a.record.Calls))
	for i, c := range a.withoutSecrets(a.record.Calls) {
		shown[i] = lines.Call{Phase: c.Phase, Round: c.Round, Hook: hookOf(c)}
	}
	return shown
}

// withoutSecrets are calls without the secrets of the request.
func (a *account) withoutSecrets(recorded []recording.Call) []recording.Call {
	calls := append([]recording.Call(nil), recorded...)
	if a.worker.redactor == nil {
		return calls
	}
	pass := a.worker.begun(a.record)
	group, kind := a.worker.kindOf(a.record)
	for i := range calls {
		c := &calls[i]
		c.Denied, c.Failed = pass.Text(c.Denied), pass.Text(c.Failed)
		var operations []any
		if json.Unmarshal(c.Patch, &operations) == nil {
			c.Patch = jsonOf(pass.Patch(group, kind, operations))
		} else {
			c.Patch = nil // nobody can say what is in it
		}
	}
	return calls
}

// hookOf is a recorded call of a webhook in the form in which those of admsim are shown.
func hookOf(c recording.Call) report.Hook {
	h := report.Hook{Configuration: c.Configuration, Name: c.Webhook, Outcome: string(trace.Allowed)}
	switch {
	case c.Denied != "":
		h.Outcome, h.Status = string(trace.Denied), &metav1.Status{Message: c.Denied}
	case c.Failed != "":
		h.Outcome, h.Status = string(trace.Failed), &metav1.Status{Message: c.Failed}
	case c.FailedOpen:
		h.Outcome = string(trace.FailedOpen)
	case c.Mutated:
		h.Outcome = string(trace.Changed)
		if h.Changes = patched(c.Patch); h.Changes == nil {
			h.Because = "how is not recorded"
		}
	}
	return h
}

// patched are the operations of a JSON patch.
func patched(operations json.RawMessage) (all []report.Change) {
	var list []patch.Operation
	_ = json.Unmarshal(operations, &list) // of what is none nothing is shown
	for _, o := range list {
		all = append(all, report.Change{Op: o.Op, Path: o.Path, Old: o.Old, Value: o.Value})
	}
	return all
}
