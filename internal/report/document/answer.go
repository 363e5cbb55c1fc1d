package document

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// A Detail says how much a result contains.
type Detail int

const (
	Usual   Detail = iota
	Reviews        // also the AdmissionReviews and the replies
)

// An Answer is a [report.Result], with what a page also shows: the objects on their way through the chain.
type Answer struct {
	*report.Result
	Runs []Run // one per admission; none if the answer does not come from a simulator

	// Decode returns an object of a version as JSON, without secrets.
	Decode func(runtime.Object) (any, error)
}

// A Run is what a page shows about one admission.
type Run struct {
	Versions []ObjectVersion // of the object: as it entered, and after every change
	Deadline time.Duration   // for the whole admission; 0: none
}

// An ObjectVersion is an object after a change.
type ObjectVersion struct {
	By     string // who made the change; the first version is the object as it entered the chain
	Object runtime.Object
}

// Run returns the run of an admission.
func (a *Answer) Run(i int) Run {
	if i >= len(a.Runs) {
		return Run{}
	}
	return a.Runs[i]
}

// Value returns a version as JSON.
func (a *Answer) Value(v ObjectVersion) (any, error) {
	if answer, ok := v.Object.(*runtime.Unknown); ok {
		return Decoded(answer.Raw)
	}
	return a.Decode(v.Object)
}

// Counts is the part of the answer to one request that is counted over many requests.
type Counts struct {
	DeniedBy *report.Decider // nil: it was admitted
	Elapsed  time.Duration
	Hooks    []HookCount // webhooks and policies that were asked
}

// A HookCount is one webhook or policy that was asked about a request.
type HookCount struct {
	Configuration, Name string
	Outcome             string
	Took                time.Duration
}

// CountsOf returns the counts of a result.
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
