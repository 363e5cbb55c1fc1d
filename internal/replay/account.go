package replay

import (
	"encoding/json"

	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
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
		Counts:   answer.Counts(a.result),
		Answer:   answer.Later(a.asked, a.result, a.worker.redactor),
		Recorded: a.recorded, Simulated: a.simulated,
		Calls: a.calls,
	}
}

func (a *account) calls() []lines.Call {
	shown := make([]lines.Call, len(a.record.Calls))
	for i, c := range a.withoutSecrets(a.record.Calls) {
		shown[i] = lines.CallOf(c)
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
