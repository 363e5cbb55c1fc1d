package report

import (
	"github.com/admsim/admsim/internal/redact"
	"k8s.io/apimachinery/pkg/runtime"
	"time"
)

// An Answer is a [Result], and what a page shows beside it: the objects on their way through the chain.
type Answer struct {
	*Result
	runs []run // one an admission

	seen *seenObjects // those of versions
	pass *redact.Pass // that takes secrets out of them; nil: there are none
}

// A run is what a page shows of one admission.
type run struct {
	versions []version     // of the object: as it entered, and after every change
	deadline time.Duration // for the whole of it; 0: none
}

// run is that of an admission; of none, where the answer did not come about by a simulator.
func (a *Answer) run(i int) run {
	if i >= len(a.runs) {
		return run{}
	}
	return a.runs[i]
}

// value is a version as JSON.
func (a *Answer) value(v version) (any, error) {
	if answer, ok := v.object.(*runtime.Unknown); ok {
		return decoded(answer.Raw)
	}
	value, err := a.seen.value(v.object)
	if object, ok := value.(map[string]any); ok && a.pass != nil {
		return a.pass.Shown(object), err
	}
	return value, err
}

// forget frees the objects, where the answer is kept only as it is printed.
func (a *Answer) forget() *Result {
	a.seen.forget()
	return a.Result
}
