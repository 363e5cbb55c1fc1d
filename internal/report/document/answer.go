package document

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/pkg/report"
)

// An Answer is a [report.Result], and what a page shows beside it: the objects on their way through the chain.
type Answer struct {
	*report.Result
	runs []run // one an admission

	seen *seenObjects // those of versions
	pass *redact.Pass // that takes secrets out of them; nil: there are none
}

// A run is what a page shows of one admission.
type run struct {
	Versions []ObjectVersion // of the object: as it entered, and after every change
	Deadline time.Duration   // for the whole of it; 0: none
}

// run is that of an admission; of none, where the answer did not come about by a simulator.
func (a *Answer) Run(i int) run {
	if i >= len(a.runs) {
		return run{}
	}
	return a.runs[i]
}

// Value is a version as JSON.
func (a *Answer) Value(v ObjectVersion) (any, error) {
	if answer, ok := v.Object.(*runtime.Unknown); ok {
		return Decoded(answer.Raw)
	}
	value, err := a.seen.value(v.Object)
	if object, ok := value.(map[string]any); ok && a.pass != nil {
		return a.pass.Shown(object), err
	}
	return value, err
}

// forget frees the objects, where the answer is kept only as it is printed.
func (a *Answer) forget() *report.Result {
	a.seen.forget()
	return a.Result
}
