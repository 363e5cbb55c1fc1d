package document

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// A Detail says how much a result holds.
type Detail int

const (
	Usual   Detail = iota
	Reviews        // the AdmissionReviews sent and the replies, too
)

// New returns the answer to what was asked in the form that is shown; without secrets, unless
// there is no redactor.
func New(asked world.Asked, answer *simulator.Result, d Detail, redactor *redact.Redactor) (_ *Answer, err error) {
	defer bug.Catch(&err)
	types := answer.Next.Types()
	b := builder{seen: newSeenObjects(types), detail: d}
	r := &report.Result{
		TypeMeta:         typeMeta(report.ResultKind),
		Request:          RequestOf(asked),
		Allowed:          answer.Code < 400,
		Code:             answer.Code,
		Warnings:         answer.Warnings,
		AuditAnnotations: answer.AuditAnnotations,
		Admissions:       []report.Admission{},
		Text:             answer.Text,
	}
	if r.Authorization, err = authorizationOf(asked); err != nil {
		return nil, err
	}
	full := &Answer{Result: r, seen: b.seen}
	for _, a := range answer.Admissions {
		full.runs = append(full.runs, run{versionsOf(a), max(a.Request.Timeout-a.Request.Elapsed, 0)})
		shown, err := b.admission(a)
		if err != nil {
			return nil, err
		}
		r.Admissions = append(r.Admissions, shown)
		r.Request.DryRun = r.Request.DryRun || a.Request.DryRun // a deletion says so in its body
		r.Elapsed.Duration = a.Request.Elapsed + a.Elapsed
	}
	if status, ok := answer.Object.(*metav1.Status); ok {
		r.Status = status
	} else if answer.Object != nil {
		var err error
		if r.Object, err = types.Encode(answer.Object); err != nil {
			return nil, fmt.Errorf("the object of the answer: %w", err)
		}
	}
	if !r.Allowed {
		r.DeniedBy, r.Hint = DeniedBy(answer.Admissions)
	}
	if a := r.Authorization; a != nil && a.Enforced && !a.Allowed {
		r.Hint = "bind " + r.Request.User.Username + " to a role that allows it; without --authorization everybody may send every request"
	}
	if r.Hint == "" && r.Status != nil && !r.Allowed { // an answer of the server may be a text: it serves no such path
		r.Hint = cmp.Or(hintForMissing(r, asked.From.Source.File), hintForVersion(r), hintForSlips(r, asked.From, types))
	}
	if full.pass, err = hide(r, redactor, asked, answer); err != nil {
		return nil, fmt.Errorf("taking secrets out: %w", err)
	}
	return full, nil
}

// authorizationOf is what authorizers say about the request. Where it is not for them to say, it is
// only of interest that they would have refused it, and only where the world says who may do what.
func authorizationOf(asked world.Asked) (*report.Authorization, error) {
	if asked.Review != nil {
		return nil, nil // somebody authorized it
	}
	sim := asked.Simulator
	if !sim.Authorizes() && !sim.HasBindings() {
		return nil, nil
	}
	said, err := sim.Authorization(context.Background(), asked.API) // which waits for nothing
	if err != nil || said.Allowed && !sim.Authorizes() {
		return nil, err
	}
	a := &report.Authorization{Allowed: said.Allowed, Enforced: sim.Authorizes(), Reason: said.Reason}
	if said.Refusal != nil {
		a.Message = said.Refusal.Message
	}
	return a, nil
}

// hintForMissing helps with what the server refuses because the cluster is not all there. In a suite the file
// with the object may be there, and not be of the world since the case names it.
func hintForMissing(r *report.Result, file string) string {
	if r.Code != http.StatusNotFound || r.DeniedBy.Plugin != "" || r.Status.Details == nil || r.Status.Details.Name == "" {
		return ""
	}
	if scenario.IsSuiteFile(file) {
		return "give the object as it is before under oldObject, or name its file under load: a folder is loaded without the files that cases name"
	}
	return "add the object as it is before to the cluster, or give it with --old, in a document of kind Request under oldObject"
}

// hintForVersion helps with an update that does not say which version of the object it starts from.
func hintForVersion(r *report.Result) string {
	if r.Status.Details == nil || r.DeniedBy.Plugin != "" {
		return ""
	}
	for _, c := range r.Status.Details.Causes {
		if c.Field == "metadata.resourceVersion" && strings.HasSuffix(c.Message, "must be specified for an update") {
			return "update the object as it was answered last, with its resourceVersion, or patch it"
		}
	}
	return ""
}

// hintForSlips says where in the request's file the fields are that the server does not know,
// or whose values it cannot read.
func hintForSlips(r *report.Result, from scenario.Request, types *objects.Types) string {
	if r.DeniedBy.Plugin != "" {
		return ""
	}
	var places []string
	for _, slip := range from.Slips(append([]string{r.Status.Message}, r.Warnings...), types) {
		place := slip.Source.String() + ": " + slip.Message
		if slip.Hint != "" {
			place += ": " + slip.Hint
		}
		places = append(places, place)
	}
	return strings.Join(places, "; ")
}

// DeniedBy finds the step that ended the request, if it was one.
func DeniedBy(admissions []trace.Admission) (by *report.Decider, hint string) {
	if len(admissions) == 0 {
		return &report.Decider{}, ""
	}
	steps := admissions[len(admissions)-1].Steps
	if len(steps) == 0 {
		return &report.Decider{}, ""
	}
	last := &steps[len(steps)-1]
	if !last.Outcome.Ends() {
		return &report.Decider{}, ""
	}
	return deciderOf(last), last.Hint
}

// deciderOf is who decided in a step that ended the request. The server itself has no name, yet
// the CRD does whose rules it applied.
func deciderOf(s *trace.Step) *report.Decider {
	by := &report.Decider{Source: s.Source}
	if s.Phase != trace.Server {
		by.Plugin = s.Plugin
	}
	if h := s.Decider(); h != nil {
		by.Configuration, by.Name, by.Source = h.Configuration, h.Name, h.Source
	}
	return by
}

// A builder puts traces into the form that is shown.
type builder struct {
	seen   *seenObjects
	detail Detail
}

func (b builder) admission(a trace.Admission) (report.Admission, error) {
	shown := report.Admission{
		Operation: string(a.Request.Operation),
		Kind:      metav1.GroupVersionKind(a.Request.Kind),
		Namespace: a.Request.Namespace,
		Name:      a.Request.Name,
		Elapsed:   metav1.Duration{Duration: a.Elapsed},
		Steps:     make([]report.Step, len(a.Steps)),
	}
	for _, o := range []runtime.Object{a.Request.Object, a.Request.OldObject} {
		if m, err := meta.Accessor(o); err == nil && shown.Name == "" {
			shown.Name = m.GetName()
		}
	}
	for i, s := range a.Steps {
		var err error
		if shown.Steps[i], err = b.step(s); err != nil {
			return shown, fmt.Errorf("step %s: %w", s.Plugin, err)
		}
	}
	return shown, nil
}

func (b builder) step(s trace.Step) (report.Step, error) {
	did := s.Did()
	shown := report.Step{
		Phase:            string(s.Phase),
		Round:            s.Round,
		Plugin:           s.Plugin,
		Outcome:          string(s.Outcome),
		Because:          s.Because,
		Source:           s.Source,
		Hint:             s.Hint,
		Status:           s.Denial,
		Warnings:         did.Warnings,
		AuditAnnotations: annotations(did.Annotations),
		AsksForMore:      did.Reinvoke,
		Start:            metav1.Duration{Duration: s.Start},
		Duration:         metav1.Duration{Duration: s.Duration},
	}
	for _, w := range did.Writes {
		shown.Writes = append(shown.Writes, write(w.Object))
	}
	byHooks := false
	for _, h := range s.Hooks {
		one, err := b.hook(h)
		if err != nil {
			return shown, fmt.Errorf("%s/%s: %w", h.Configuration, h.Name, err)
		}
		shown.Hooks = append(shown.Hooks, one)
		byHooks = byHooks || one.Outcome == string(trace.Changed)
	}
	if s.Outcome == trace.Changed && !byHooks {
		var err error
		if shown.Changes, err = b.changes(s.Before, s.After); err != nil {
			return shown, err
		}
		if len(shown.Changes) == 0 { // nothing that the client could see
			shown.Outcome = string(trace.Allowed)
		}
	}
	return shown, nil
}

func (b builder) hook(h trace.Hook) (report.Hook, error) {
	shown := report.Hook{
		Configuration:    h.Configuration,
		Name:             h.Name,
		Source:           h.Source,
		Index:            h.Index,
		Outcome:          string(h.Outcome),
		Because:          h.Because,
		Matched:          h.Matched,
		Criterion:        h.Decided.String(),
		Param:            h.Param,
		Expressions:      expressions(h.Expressions),
		Costs:            costs(h.Expressions),
		Reinvocable:      h.Reinvocable,
		Patch:            h.Patch,
		Status:           h.Denial,
		Warnings:         h.Warnings,
		AuditAnnotations: annotations(h.Annotations),
		Start:            metav1.Duration{Duration: h.Start},
		Duration:         metav1.Duration{Duration: h.Duration},
	}
	if h.Called {
		shown.Resource, shown.Kind = new(metav1.GroupVersionResource(h.Resource)), new(metav1.GroupVersionKind(h.Kind))
	}
	for _, c := range h.Calls {
		shown.Calls = append(shown.Calls, b.call(c))
	}
	if n := len(h.Calls); n > 0 && slices.Contains([]trace.Outcome{trace.Failed, trace.FailedOpen}, h.Outcome) {
		shown.Calls[n-1].Answered = beginning(h.Calls[n-1].Reply)
	}
	if h.Outcome == trace.Changed {
		var err error
		if shown.Changes, err = b.changes(h.Before, h.After); err != nil {
			return shown, err
		}
		if len(shown.Changes) == 0 { // nothing that the client could see
			shown.Outcome = string(trace.Allowed)
		}
	}
	shown.PatchNotes = b.patchNotes(h, shown.Changes)
	return shown, nil
}

// mostAnswered bytes of a reply are enough to recognize an error page.
const mostAnswered = 200

func beginning(reply []byte) string {
	if len(reply) <= mostAnswered {
		return string(reply)
	}
	return strings.ToValidUTF8(string(reply[:mostAnswered]), "") + "…"
}

func (b builder) call(c trace.Call) report.Call {
	shown := report.Call{URL: c.URL, Status: c.Status, Error: c.Error, Duration: metav1.Duration{Duration: c.Duration}}
	if b.detail == Reviews {
		shown.Review, shown.Reply = json.RawMessage(c.Review.Bytes()), string(c.Reply)
	}
	return shown
}

// changes are what leads from one object to the other.
func (b builder) changes(before, after runtime.Object) ([]report.Change, error) {
	if before == nil || after == nil || before == after {
		return nil, nil
	}
	from, err := b.seen.value(before)
	if err != nil {
		return nil, err
	}
	to, err := b.seen.value(after)
	if err != nil {
		return nil, err
	}
	operations := patch.DiffValues(from, to)
	changes := make([]report.Change, len(operations))
	for i, o := range operations {
		changes[i] = report.Change{Op: o.Op, Path: o.Path, Old: o.Old, Value: o.Value}
	}
	return changes, nil
}

func annotations(list []trace.Annotation) (shown []report.Annotation) {
	for _, a := range list {
		shown = append(shown, report.Annotation(a))
	}
	return shown
}

func write(o runtime.Object) report.Write {
	var w report.Write
	w.APIVersion, w.Kind = o.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	if m, err := meta.Accessor(o); err == nil {
		w.Namespace, w.Name = m.GetNamespace(), m.GetName()
	}
	return w
}
