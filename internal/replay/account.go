package replay

import (
	"encoding/json"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

// An Account is how the answer to one request came about, beside what is recorded of it. It
// is of use only while Options.Make makes something of it.
type Account struct {
	Asked  world.Asked
	Result *simulator.Result

	// Recorded and Simulated are the bodies of the answers as they were compared: what
	// differs by chance is the same in both, and there are no secrets. Both are nil if
	// the answers agree, and where none was logged Recorded is.
	Recorded, Simulated any

	worker *worker
	record *recording.Record
}

// Calls are what webhooks did when the request was recorded, as far as that is known,
// without secrets. An audit log has those that may change objects, and those that ended a
// request or did not answer.
func (a *Account) Calls() []recording.Call {
	calls := append([]recording.Call(nil), a.record.Calls...)
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
