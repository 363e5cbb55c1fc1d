// Package steps converts the trace of an admission to the form that is shown: the steps of plugins, what webhooks and
// policies did in them, and what changed.
//
// Start with [NewBuilder]. The package knows what happened, not the request or its answer, and it hides nothing: see
// [github.com/admsim/admsim/internal/answer/secrets].
package steps

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// DeniedBy returns who decided in the step that refused a request, if a step did, and the hint of the step. The server
// itself has no name, but the CRD whose rules it applied does.
func DeniedBy(s *trace.Step) (by *report.Decider, hint string) {
	if s == nil {
		return &report.Decider{}, ""
	}
	by = &report.Decider{Source: s.Source}
	if s.Phase != trace.Server {
		by.Plugin = s.Plugin
	}
	if h := s.Decider(); h != nil {
		by.Configuration, by.Name, by.Source = h.Configuration, h.Name, h.Source
	}
	return by, s.Hint
}

// A Builder converts the admissions of one request to the form that is shown.
type Builder struct {
	seen   *seenObjects
	detail document.Detail
}

// NewBuilder returns a builder for objects of these types.
func NewBuilder(types *objects.Types, d document.Detail) *Builder {
	return &Builder{newSeenObjects(types), d}
}

// Value returns an object of the request as JSON. It may share parts with other objects, and must not be changed.
func (b *Builder) Value(o runtime.Object) (any, error) { return b.seen.value(o) }

// Admission converts one admission to the form that is shown, including secrets.
func (b *Builder) Admission(a trace.Admission) (report.Admission, error) {
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

func (b *Builder) step(s trace.Step) (report.Step, error) {
	did := s.Did()
	shown := report.Step{
		Phase:            string(s.Phase),
		Round:            s.Round,
		Plugin:           s.Plugin,
		Outcome:          string(s.Outcome),
		Because:          cmp.Or(s.Because, strings.Join(did.Dropped, "; ")),
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
		if shown.Changes, err = b.Changes(s.Before, s.After); err != nil {
			return shown, err
		}
		if len(shown.Changes) == 0 { // nothing that the client could see
			shown.Outcome = string(trace.Allowed)
		}
	}
	return shown, nil
}

func (b *Builder) hook(h trace.Hook) (report.Hook, error) {
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
		Expressions:      Expressions(h.Expressions),
		Costs:            costs(h.Expressions),
		Reinvocable:      h.Reinvocable,
		Patch:            h.Patch,
		Status:           h.Denial,
		Warnings:         h.Warnings,
		WarningNotes:     warningNotes(h.Warnings),
		AuditAnnotations: annotations(h.Annotations),
		Start:            metav1.Duration{Duration: h.Start},
		Duration:         metav1.Duration{Duration: h.Duration},
	}
	if h.Called && h.Resource.Resource != "" { // callbacks other than admission webhooks have no resource
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
		if shown.Changes, err = b.Changes(h.Before, h.After); err != nil {
			return shown, err
		}
		if len(shown.Changes) == 0 { // nothing that the client could see
			shown.Outcome = string(trace.Allowed)
		}
	}
	shown.PatchNotes = b.patchNotes(h, shown.Changes)
	return shown, nil
}

// maxAnswered bytes of a reply are enough to recognize an error page.
const maxAnswered = 200

func beginning(reply []byte) string {
	if len(reply) <= maxAnswered {
		return string(reply)
	}
	return strings.ToValidUTF8(string(reply[:maxAnswered]), "") + "…"
}

func (b *Builder) call(c trace.Call) report.Call {
	shown := report.Call{URL: c.URL, Status: c.Status, Error: c.Error, Assumed: c.Assumed, Duration: metav1.Duration{Duration: c.Duration}}
	if b.detail == document.Reviews {
		shown.Review, shown.Reply = json.RawMessage(c.Review.Bytes()), string(c.Reply)
	}
	return shown
}

// Changes returns the changes that lead from one object to the other.
func (b *Builder) Changes(before, after runtime.Object) ([]report.Change, error) {
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
