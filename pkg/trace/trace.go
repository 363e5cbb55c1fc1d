// Package trace is the record of one admission as plain data: the steps in order, each
// with its reason, and the verdict.
//
// Start with [Admission]. A [Step] is what a plugin returns, what the chain reads to decide
// how to go on, and what a report prints; there is no second form of it. Package trace knows
// neither how a step came about nor how it is shown.
package trace

import (
	"bytes"
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
)

// An Admission is the record of one run of the chain. Most requests cause one.
// A deletecollection causes one per item, and a request refused before admission none.
type Admission struct {
	Request admission.Request // as it entered the chain
	Steps   []Step
	Object  runtime.Object // as the chain and the server left it; nil on DELETE
	Verdict admission.Verdict
	Elapsed time.Duration // by the clock of the simulation
}

// A Phase is the part of a request to which a step belongs.
type Phase string

const (
	Mutating   Phase = "mutating"
	Server     Phase = "server" // the API server itself, between the phases
	Validating Phase = "validating"
)

// An Outcome says how a step, or one hook of it, ended.
type Outcome string

const (
	Skipped    Outcome = "skipped"     // does not apply; Because says which condition failed
	Allowed    Outcome = "allowed"     // applied, and did not object
	Changed    Outcome = "changed"     // changed the object
	Denied     Outcome = "denied"      // refused the request
	Failed     Outcome = "failed"      // could not be called, so the request was refused
	FailedOpen Outcome = "failed-open" // could not be called, and this was ignored
)

// Ends reports whether the outcome ends the request.
func (o Outcome) Ends() bool { return o == Denied || o == Failed }

// A Step is what one plugin did in one phase and round.
type Step struct {
	Phase  Phase
	Round  int // 0, or 1 in the second round of the mutating phase
	Plugin string

	Outcome Outcome
	Because string // one line: the condition that decided
	Source  string // file and line of the cluster object that decided; empty if none did
	Hint    string // what the user can do about it, if anything

	// The object before and after a mutating plugin. They are the same unless Outcome is
	// Changed, and both nil on DELETE.
	Before, After runtime.Object

	Denial  *metav1.Status // set if Outcome ends the request
	Hooks   []Hook         // the webhooks, policies, or rules of a CRD behind the step, in their order
	Effects *Effects       // nil: none; see [Step.Did]

	Start, Duration time.Duration // by the clock of the simulation
}

// Effects are what a step does besides deciding. Most of the thirty steps of a typical request
// have none.
type Effects struct {
	// Undetermined says why the server may end the request as one of Alternatives does instead; empty: it always
	// ends it like this. What refuses it may be an object, of which a hook has the Source only.
	Undetermined string
	Alternatives []Hook
	Otherwise    []Effects // warnings and annotations beside each of Alternatives; nil: those of the step

	Warnings    []string
	Annotations []Annotation
	Writes      []cluster.Object // what the plugin itself wrote into the cluster
	Changes     []cluster.Change // what webhooks changed in the cluster while they were asked
	Memory      any              // what the plugin remembers from now on; nil: no change
	Reinvoke    bool             // asks the chain for a second round

	// Shown is what validators that follow see in the place of the object, which stays what it is. Nil: the object.
	Shown runtime.Object
}

// Did returns the effects of the step, if any.
func (s *Step) Did() Effects {
	if s.Effects == nil {
		return Effects{}
	}
	return *s.Effects
}

// Decider returns the hook that ended the request in this step: the one whose denial is that of the
// step, else the first that ended it. It is nil if no hook but the plugin itself did.
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

// MayRefuse notes that one of these hooks may end the request instead, and why that is not determined. Hooks that
// refuse it with the same words are no other outcome.
func (s *Step) MayRefuse(because string, hooks ...Hook) {
	for _, h := range hooks {
		same := func(other Hook) bool { return reflect.DeepEqual(h.Denial, other.Denial) }
		if !reflect.DeepEqual(h.Denial, s.Denial) && !slices.ContainsFunc(s.Did().Alternatives, same) {
			s.doing().Undetermined, s.doing().Alternatives = because, append(s.doing().Alternatives, h)
		}
	}
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

// Change notes what webhooks changed in the cluster by requests of their own.
func (s *Step) Change(changes ...cluster.Change) {
	if len(changes) > 0 {
		s.doing().Changes = append(s.doing().Changes, changes...)
	}
}

// Remember sets what the plugin remembers from now on.
func (s *Step) Remember(what any) { s.doing().Memory = what }

// Show shows validators that follow another object than the one that is validated.
func (s *Step) Show(object runtime.Object) { s.doing().Shown = object }

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

// A Hook is what one webhook, or one policy with one of its bindings, did in a step. A rule of a CRD
// is a Hook if it refused the object.
type Hook struct {
	Configuration string // the webhook configuration, the policy or the CRD
	Name          string // the webhook, or the binding
	ID            string // identifies the hook where names repeat (W-042)
	Source        string // file and line
	Index         int    // position among all hooks of the plugin

	Outcome Outcome
	Decided Criterion // whether it applies
	Because string
	Hint    string // what the user can do about it, if anything
	Matched string // why it applies, if reasons were requested

	// Resource and Kind are those of the review that the hook got. With matchPolicy Equivalent
	// they may differ from those of the request.
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind

	Called      bool
	Reinvocable bool // reinvocationPolicy IfNeeded

	PolicyRule  int          // of a policy: the position of the rule that matched, or NoRule if none did or had to
	BindingRule int          // the same of its binding
	Param       string       // kind and name of a policy's params; empty if it has none
	Expressions []Expression // results of a policy's expressions, or of a webhook's match conditions, in order of evaluation

	Calls  []Call
	Patch  []byte // the patch applied, as JSON
	Before runtime.Object
	After  runtime.Object // set if Outcome is Changed

	Denial      *metav1.Status
	Warnings    []string
	Annotations []Annotation

	Start, Duration time.Duration
}

// An Expression is the result of one expression of a policy, one match condition of a webhook, or one
// rule of a CRD.
type Expression struct {
	Field string // its place in the policy or webhook, e.g. validations[0].expression
	Name  string // of the match condition, variable or audit annotation, or of the field that a rule is about
	Text  string

	Value   string // as JSON; empty if there is none
	Changed bool   // of a mutation: it changed the object, if reasons were requested
	Message string // of a validation that does not hold
	Error   string // why compiling, evaluating or applying it failed

	Cost   int64 // of its evaluation; 0 if it is not known, as is Budget then
	Budget int64 // what was left before it, for it and those after it in its group
}

// A Text is built when it is read, since most reviews that are sent are never looked at. It
// is the same each time.
type Text func() []byte

// Bytes returns the text, or nil if there is none. It must not be changed.
func (t Text) Bytes() []byte {
	if t == nil {
		return nil
	}
	return t()
}

// Equal reports whether both texts are the same.
func (t Text) Equal(other Text) bool { return bytes.Equal(t.Bytes(), other.Bytes()) }

// A Call is one review that was sent, and what came back.
type Call struct {
	URL      string // path and query included
	Review   Text   // the AdmissionReview as sent
	Status   int    // HTTP status; 0 if no answer came
	Reply    []byte
	Error    string
	Assumed  string // why nobody knows whether the answer is this one; empty if it is known
	Duration time.Duration
}
