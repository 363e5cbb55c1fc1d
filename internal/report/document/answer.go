package document

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// A Detail says how much a result holds.
type Detail int

const (
	Usual   Detail = iota
	Reviews        // the AdmissionReviews sent and the replies, too
)

// An Answer is a [report.Result], and what a page shows beside it: the objects on their way through the chain.
type Answer struct {
	*report.Result
	Runs []Run // one an admission; none if the answer did not come about by a simulator

	// Decode returns an object of a version as JSON, without secrets.
	Decode func(runtime.Object) (any, error)
}

// A Run is what a page shows of one admission.
type Run struct {
	Versions []ObjectVersion // of the object: as it entered, and after every change
	Deadline time.Duration   // for the whole of it; 0: none
}

// An ObjectVersion is an object as somebody left it.
type ObjectVersion struct {
	By     string // who made it; the first one is as it entered the chain
	Object runtime.Object
}

// Run is that of an admission.
func (a *Answer) Run(i int) Run {
	if i >= len(a.Runs) {
		return Run{}
	}
	return a.Runs[i]
}

// Value is a version as JSON.
func (a *Answer) Value(v ObjectVersion) (any, error) {
	if answer, ok := v.Object.(*runtime.Unknown); ok {
		return Decoded(answer.Raw)
	}
	return a.Decode(v.Object)
}

// Counts are what of the answer to one request is counted among many.
type Counts struct {
	DeniedBy *report.Decider // nil: it was admitted
	Elapsed  time.Duration
	Hooks    []HookCount // webhooks and policies that were asked
}

// A HookCount is one webhook or policy of a request.
type HookCount struct {
	Configuration, Name string
	Outcome             string
	Took                time.Duration
}

// CountsOf are those of a result.
func CountsOf(r *report.Result) (c Counts) {
	c.DeniedBy, c.Elapsed = r.DeniedBy, r.Elapsed.Duration
	for _, a := range r.Admissions {
		for _, s := range a.Steps {
			for i := range s.Hooks {
				if h := &s.Hooks[i]; h.Outcome != string(trace.Skipped) {
					c.Hooks = append(c.Hooks, HookCount{h.Configuration, h.Name, h.Outcome, h.Duration.Duration})
				}
			}
		}
	}
	return c
}
