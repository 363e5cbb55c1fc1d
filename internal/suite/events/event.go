// Package events reads the course of a request from its answer: what each plugin, webhook and policy did ([Of]), what
// ended it ([DeciderOf]), and how admission changed the object ([Changes]).
package events

import (
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// An Event is what a plugin, or one of its webhooks or policies, did in one step.
type Event struct {
	Step *trace.Step
	Hook *trace.Hook // nil: the plugin itself
}

// Of returns all events of an answer, in order. Of what the server itself does, these are the conversions by webhooks.
func Of(answer *simulator.Result) (all []Event) {
	for i := range answer.Admissions {
		steps := answer.Admissions[i].Steps
		for j := range steps {
			switch {
			case steps[j].Phase != trace.Server:
				all = append(all, Event{Step: &steps[j]})
			case steps[j].Plugin != dispatch.ConversionWebhook:
				continue
			}
			for k := range steps[j].Hooks {
				all = append(all, Event{&steps[j], &steps[j].Hooks[k]})
			}
		}
	}
	return all
}

// Is reports whether a pattern names the plugin, webhook or policy.
func (e Event) Is(pattern string) bool {
	if e.Hook == nil {
		return e.Step.Plugin == pattern
	}
	if e.Step.Plugin == document.MutatingPolicies || e.Step.Plugin == document.ValidatingPolicies {
		return NamesPolicy(pattern, e.Hook.Configuration, e.Hook.Name)
	}
	return dispatch.Route{Webhook: pattern}.Matches(e.Hook.Configuration, e.Hook.Name)
}

// Name returns the name of the plugin, or of the webhook or policy with its configuration.
func (e Event) Name() string {
	if e.Hook == nil {
		return e.Step.Plugin
	}
	return strings.TrimSuffix(e.Hook.Configuration+"/"+e.Hook.Name, "/")
}

// Outcome returns the outcome of the event.
func (e Event) Outcome() trace.Outcome {
	if e.Hook == nil {
		return e.Step.Outcome
	}
	return e.Hook.Outcome
}

// Called reports whether the plugin, webhook or policy was not skipped.
func (e Event) Called() bool { return e.Outcome() != trace.Skipped }

// Because returns the reason for the outcome.
func (e Event) Because() string {
	if e.Hook == nil {
		return e.Step.Because
	}
	return e.Hook.Because
}
