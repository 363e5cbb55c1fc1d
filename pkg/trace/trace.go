// Package trace records one admission as plain data: the steps in order, each with its reason.
//
// Start with [Admission]. A [Step] is what a plugin returns, what the chain reads to decide how to continue, and what a
// report prints; it exists in this one form only. Package trace knows neither how a step came about nor how it is
// shown.
package trace

import (
	"bytes"
	"net/http"
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
)

// An Admission is the record of one run of the chain. Most requests cause one. A deletecollection causes one per item,
// and a request refused before admission causes none.
type Admission struct {
	Request admission.Request // before the first step
	Steps   []Step
	Object  runtime.Object // after the last step; nil on DELETE
	Elapsed time.Duration  // by the simulated clock
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
	Skipped    Outcome = "skipped"     // does not apply; Because names the condition that failed
	Allowed    Outcome = "allowed"     // applied, without an objection
	Changed    Outcome = "changed"     // changed the object
	Denied     Outcome = "denied"      // refused the request
	Failed     Outcome = "failed"      // could not be called, or its answer not be used, so the request was refused
	FailedOpen Outcome = "failed-open" // could not be called, but this was ignored
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

	// Before and After are the object before and after a mutating plugin. They are the same unless Outcome is Changed,
	// and both are nil on DELETE.
	Before, After runtime.Object

	Denial  *metav1.Status // set if Outcome ends the request
	Hooks   []Hook         // the webhooks, policies, or rules of a CRD behind the step, in their order
	Effects *Effects       // nil if there are none; see [Step.Did]

	Start, Duration time.Duration // by the simulated clock
}

// Effects holds what a step does besides deciding. Most of the thirty steps of a typical request have no effects.
type Effects struct {
	// Undetermined explains why the server may end the request as in one of Alternatives instead. If it is empty, the
	// server always ends it like this. An alternative need not be a hook: it may be another object that refuses the
	// request, in which case only its Source is set.
	Undetermined string
	Alternatives []Hook
	Otherwise    []Effects // warnings and annotations of each of Alternatives; nil: those of the step

	Dropped     []string // which fields of the object the server dropped, and why
	Warnings    []string
	Annotations []Annotation
	Sent        []Sent           // the requests that the server sent to itself for the plugin
	Writes      []cluster.Object // what the plugin itself wrote into the cluster
	Changes     []cluster.Change // what webhooks changed in the cluster while they were called
	Memory      any              // what the plugin remembers from now on; nil: no change
	Reinvoke    bool             // asks the chain for a second round

	// Shown is what later validators see instead of the object, which itself stays unchanged. Nil: they see the object.
	Shown runtime.Object
}

// Did returns the effects of the step, if any.
func (s *Step) Did() Effects {
	if s.Effects == nil {
		return Effects{}
	}
	return *s.Effects
}

// Decider returns the hook that ended the request in this step: the hook whose denial is that of the step, or else the
// first one that ended it. It is nil if the plugin itself ended the request.
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

// MayRefuse records that one of these hooks may end the request instead, and why this is not determined. Hooks that
// refuse the request with the same denial are not recorded, because the outcome is the same.
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

// Send records a request that the server sent to itself for the plugin, after earlier ones of the step, and what webhooks did
// in it. began is the time at which the step began.
func (s *Step) Send(began time.Duration, sent Sent) {
	sent.Start = began + s.Duration
	s.doing().Sent = append(s.doing().Sent, sent)
	s.Duration += sent.Elapsed()
	for i := range sent.Admissions {
		for j := range sent.Admissions[i].Steps {
			for _, h := range sent.Admissions[i].Steps[j].Hooks {
				if h.Called {
					h.Start += sent.Start // which was since the request of the server began
					s.Hooks = append(s.Hooks, h)
				}
			}
		}
	}
}

// LookUp records that the server asked itself for an object. It does so before it believes that an object does not exist,
// since its caches may be behind. began is the time at which the step began.
func (s *Step) LookUp(began time.Duration, resource schema.GroupVersionResource, namespace, name string, found bool) {
	sent := Sent{Verb: "get", Resource: resource, Namespace: namespace, Name: name, Code: http.StatusOK}
	if !found {
		sent.Code = http.StatusNotFound
	}
	s.Send(began, sent)
}

// Write writes objects into the cluster.
func (s *Step) Write(objects ...cluster.Object) {
	if len(objects) > 0 {
		s.doing().Writes = append(s.doing().Writes, objects...)
	}
}

// Change records what webhooks changed in the cluster through requests of their own.
func (s *Step) Change(changes ...cluster.Change) {
	if len(changes) > 0 {
		s.doing().Changes = append(s.doing().Changes, changes...)
	}
}

// Remember sets what the plugin remembers from now on.
func (s *Step) Remember(what any) { s.doing().Memory = what }

// Show lets later validators see another object than the one that is validated.
func (s *Step) Show(object runtime.Object) { s.doing().Shown = object }

// Reinvoke asks the chain for a second round.
func (s *Step) Reinvoke() { s.doing().Reinvoke = true }

func (s *Step) doing() *Effects {
	if s.Effects == nil {
		s.Effects = &Effects{}
	}
	return s.Effects
}

// A Sent is a request that the server sent to itself while it answered another one, with the answer. The server's audit
// log has it like any other request. Many of them only read what the server's caches do not have.
type Sent struct {
	Verb            string
	Resource        schema.GroupVersionResource
	Subresource     string
	Namespace, Name string // without a name if the body has it
	Body            []byte
	Start           time.Duration // since the client's request began
	Remembered      time.Duration // how long the server remembers the answer and does not send the request again

	Code        int
	Object      runtime.Object // in the answer to a write: what was written, or a *metav1.Status
	DeniedBy    *Step          // see rest.Response
	Annotations map[string]string
	Admissions  []Admission
	Shared      bool // the admissions are also those of the client's request, as with the deletion of an evicted pod
}

// Reads reports whether the request changes nothing. It is not admitted, and takes no time.
func (s *Sent) Reads() bool { return s.Verb == "get" || s.Verb == "list" }

// Elapsed returns how long the request took.
func (s *Sent) Elapsed() (all time.Duration) {
	for i := range s.Admissions {
		all += s.Admissions[i].Elapsed
	}
	return all
}

// Refusal returns why the request was refused, or nil if it was not.
func (s *Sent) Refusal() *metav1.Status {
	if s.Code < http.StatusBadRequest {
		return nil
	}
	status, _ := s.Object.(*metav1.Status)
	return status
}

// An Annotation is one entry of the audit event.
type Annotation struct{ Key, Value string }

// A Hook is what one webhook, or one policy with one of its bindings, did in a step. A rule of a CRD is also a Hook if
// it refused the object.
type Hook struct {
	Configuration string // the webhook configuration, the policy or the CRD
	Name          string // the webhook, or the binding
	ID            string // identifies the hook if names are repeated (W-042)
	Source        string // file and line
	Index         int    // index among all hooks of the plugin

	Outcome Outcome
	Decided Criterion // why it applies, or does not
	Because string
	Hint    string // what the user can do about it, if anything
	Matched string // why it applies; set if reasons were requested

	// Resource and Kind are those of the review that the hook received. With matchPolicy Equivalent they may differ
	// from those of the request.
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind

	Called      bool
	Reinvocable bool          // reinvocationPolicy IfNeeded
	Timeout     time.Duration // how long one answer of a webhook may take if the request has enough time

	PolicyRule  int          // for a policy: the index of the rule that matched, or NoRule if none matched or had to match
	BindingRule int          // the same for its binding
	Param       string       // kind and name of the param of a policy; empty if it has none
	Expressions []Expression // results of a policy's expressions, or of a webhook's match conditions, in order of evaluation

	Calls      []Call
	Patch      []byte // the patch that was applied, as JSON
	PatchFault string // which operation of a patch could not be applied, or that the result could not be read
	Before     runtime.Object
	After      runtime.Object // set if Outcome is Changed

	Denial      *metav1.Status
	Warnings    []string
	Annotations []Annotation

	Start, Duration time.Duration
}

// An Expression is the result of one expression of a policy, one match condition of a webhook, or one rule of a CRD.
type Expression struct {
	Field string // its place in the policy or webhook, e.g. validations[0].expression
	Name  string // of the match condition, variable or audit annotation, or of the field that a rule belongs to
	Text  string

	Value   string // as JSON; empty if there is none
	Changed bool   // for a mutation: whether it changed the object, if reasons were requested
	Message string // for a validation that failed
	Error   string // why compiling, evaluating or applying it failed

	Cost   int64 // of evaluating it; 0 if not known, and so is Budget
	Budget int64 // what was left for it and the rest of its group
}

// A Text is built when it is read, since most reviews that are sent are never looked at. It is the same each time.
type Text func() []byte

// Bytes returns the text, or nil if there is none. The result must not be modified.
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
	URL      string // including path and query
	Review   Text   // the AdmissionReview as sent
	Status   int    // HTTP status; 0 if no answer came
	Reply    []byte
	Error    string
	Assumed  string // why it is not known whether the real answer is the same; empty if it is known
	Duration time.Duration
}
