// Package trace is the record of one admission as plain data: the steps in order, each
// with its reason, and the verdict.
//
// A [Step] is what a plugin returns, what the chain reads to decide how to go on, and
// what a report prints; there is no second form of it. Package trace does not know how a
// step came about, nor how it is shown.
package trace

import (
	"bytes"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
)

// An Admission is the record of one run of the chain. A request mostly causes one, but
// deletecollection causes one an item, and one refused before admission none at all.
type Admission struct {
	Request admission.Request // as it entered the chain
	Steps   []Step
	Object  runtime.Object // as the chain and the server left it; nil on DELETE
	Verdict admission.Verdict
	Elapsed time.Duration // on the engine's own time
}

// A Phase is where in the course of a request a step was taken.
type Phase string

const (
	Mutating   Phase = "mutating"
	Server     Phase = "server" // the API server itself, between the phases
	Validating Phase = "validating"
)

// An Outcome is how a step or one hook of it ended.
type Outcome string

const (
	Skipped    Outcome = "skipped"     // does not apply; Because says which condition failed
	Allowed    Outcome = "allowed"     // applied and had nothing against it
	Changed    Outcome = "changed"     // changed the object
	Denied     Outcome = "denied"      // refused the request
	Failed     Outcome = "failed"      // could not be called, which refused the request
	FailedOpen Outcome = "failed-open" // could not be called, which was ignored
)

// Ends tells whether the outcome ends the request.
func (o Outcome) Ends() bool { return o == Denied || o == Failed }

// A Step is what one plugin did in one phase and round.
type Step struct {
	Phase  Phase
	Round  int // 0, or 1 in the second round of the mutating phase
	Plugin string

	Outcome Outcome
	Because string // one line: the condition that decided
	Source  string // file and line of the cluster object that decided, where there is one
	Hint    string // what the user can do about it, where there is something

	// The object as a mutating plugin got it and as it left it, which are the same where
	// Outcome is not Changed; both nil on DELETE.
	Before, After runtime.Object

	Denial  *metav1.Status // set where Outcome ends the request
	Hooks   []Hook         // the webhooks, policies, or rules of a CRD behind the step, in their order
	Effects *Effects       // nil for none; see [Step.Did]

	Start, Duration time.Duration // on the engine's own time
}

// Effects are what a step does besides deciding. Most steps of a request, of which there are
// thirty where nothing happens, have none.
type Effects struct {
	Warnings    []string
	Annotations []Annotation
	Writes      []cluster.Object // what the plugin itself wrote into the cluster
	Memory      any              // what the plugin remembers from now on; nil: no change
	Reinvoke    bool             // asks the chain for a second round
}

// Did are the effects of the step, if any.
func (s *Step) Did() Effects {
	if s.Effects == nil {
		return Effects{}
	}
	return *s.Effects
}

// Decider is who ended the request in a step that did: the hook whose denial is that of the step, else
// the first that ended it. It is nil where the plugin did so by itself.
func (s *Step) Decider() (first *Hook) {
	for i := range s.Hooks {
		h := &s.Hooks[i]
		switch {
		case !h.Outcome.Ends():
		case h.Denial != nil && (s.Denial == nil || h.Denial.Message == s.Denial.Message):
			return h
		case first == nil:
			first = h
		}
	}
	return first
}

// Warn adds warnings.
func (s *Step) Warn(texts ...string) {
	if len(texts) > 0 {
		s.doing().Warnings = append(s.doing().Warnings, texts...)
	}
}

// Annotate adds entries for the audit event.
func (s *Step) Annotate(entries ...Annotation) {
	if len(entries) > 0 {
		s.doing().Annotations = append(s.doing().Annotations, entries...)
	}
}

// Write writes objects into the cluster.
func (s *Step) Write(objects ...cluster.Object) {
	if len(objects) > 0 {
		s.doing().Writes = append(s.doing().Writes, objects...)
	}
}

// Remember has the plugin know something from now on.
func (s *Step) Remember(what any) { s.doing().Memory = what }

// Reinvoke asks the chain for a second round.
func (s *Step) Reinvoke() { s.doing().Reinvoke = true }

func (s *Step) doing() *Effects {
	if s.Effects == nil {
		s.Effects = &Effects{}
	}
	return s.Effects
}

// An Annotation is one entry meant for the audit event, in the order written.
type Annotation struct{ Key, Value string }

// A Hook is what one webhook, or one policy with one of its bindings, did in a step; of the rules
// of a CRD, there are those that refused the object.
type Hook struct {
	Configuration string // the webhook configuration, the policy or the CRD
	Name          string // the webhook, or the binding
	ID            string // tells hooks apart where names repeat (W-042)
	Source        string // file and line
	Index         int    // position among all hooks of the plugin

	Outcome Outcome
	Decided Criterion // whether it applies
	Because string
	Hint    string // what the user can do about it, where there is something
	Matched string // why it applies, where reasons are asked for

	// Resource and Kind are what the hook was shown, which under matchPolicy Equivalent
	// may differ from what was asked for.
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind

	Called      bool
	Reinvocable bool // reinvocationPolicy IfNeeded

	Param       string       // what a policy's params are here, as kind and name; empty without
	Expressions []Expression // what those of a policy, or the conditions of a webhook, said, in the order asked

	Calls  []Call
	Patch  []byte // the patch applied, as JSON
	Before runtime.Object
	After  runtime.Object // set where Outcome is Changed

	Denial      *metav1.Status
	Warnings    []string
	Annotations []Annotation

	Start, Duration time.Duration
}

// An Expression is what one expression of a policy, one condition of a webhook, or one rule of a
// CRD, said of the request.
type Expression struct {
	Field string // where in the policy or webhook it stands, e.g. validations[0].expression
	Name  string // of the match condition, variable or audit annotation, or of the field a rule is about
	Text  string

	Value   string // as JSON; empty where there is none
	Message string // of a validation that does not hold
	Error   string // evaluating, compiling or applying it failed

	Cost   int64 // of its evaluation; 0, as the budget, where it is not known
	Budget int64 // that was left before it, to be shared with the ones of its group after it
}

// A Text is put together when it is read: most of what a webhook is sent nobody looks at. It
// is the same each time.
type Text func() []byte

// Bytes is the text, nil where there is none. Nobody changes it.
func (t Text) Bytes() []byte {
	if t == nil {
		return nil
	}
	return t()
}

// Equal compares what the two say.
func (t Text) Equal(other Text) bool { return bytes.Equal(t.Bytes(), other.Bytes()) }

// A Call is one review sent, and what came back.
type Call struct {
	URL      string // path and query included
	Review   Text   // the AdmissionReview as sent
	Status   int    // HTTP status; 0 where no answer came
	Reply    []byte
	Error    string
	Duration time.Duration
}
