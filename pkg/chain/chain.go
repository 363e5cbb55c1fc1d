// Package chain runs admission plugins in order: the mutating phase, its second round if a plugin asks for one, and the
// validating phase.
//
// The chain knows no plugin by name and decides nothing itself; it stops at the first step that ends the request. Start
// with [New], then call [Chain.Mutate] and [Chain.Validate]. The caller does what the API server does to the object
// between the two phases, as package simulator does. Plugins that call several hooks one after the other use a
// [Reinvocation] for their second round.
package chain

import (
	"context"
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// A Mutator may change the object before it is validated. s is the current state of the cluster; earlier is the step
// that the Mutator returned in the first round, or nil if this is the first round.
type Mutator interface {
	Mutate(ctx context.Context, s *cluster.State, req admission.Request, earlier *trace.Step) (trace.Step, error)
}

// A Validator may deny the request. It cannot change the request, only what later validators see ([trace.Effects]).
type Validator interface {
	Validate(ctx context.Context, s *cluster.State, req admission.Request) (trace.Step, error)
}

// A Plugin is one link of the chain. It takes part in the phases for which it has a Mutator or
// a Validator, and only for the operations that it handles (W-001).
type Plugin struct {
	Name       string
	Operations []admissionv1.Operation // empty: all of them
	Mutator    Mutator
	Validator  Validator
}

func (p Plugin) handles(op admissionv1.Operation) bool {
	return len(p.Operations) == 0 || slices.Contains(p.Operations, op)
}

// A Chain is an ordered list of plugins. It may be used concurrently if its plugins may be used concurrently.
type Chain struct {
	mutators, validators []Plugin
}

// New returns a chain that runs plugins in the given order.
func New(plugins ...Plugin) *Chain {
	c := &Chain{}
	for _, p := range plugins {
		if p.Mutator != nil {
			c.mutators = append(c.mutators, p)
		}
		if p.Validator != nil {
			c.validators = append(c.validators, p)
		}
	}
	return c
}

// A Pass is the result of one phase.
type Pass struct {
	State   *cluster.State    // includes what plugins wrote into the cluster
	Request admission.Request // as the phase left it: the object, and the time spent so far
	Steps   []trace.Step
	Denial  *metav1.Status // why the request ended in this phase; nil if it continues
}

// Mutate runs the mutating phase. If a step asks for it, the whole list runs once
// more, but never a third time, however often plugins keep changing the object (W-002,
// W-220, W-225: kubernetes/apiserver:pkg/admission/reinvocation.go).
func (c *Chain) Mutate(ctx context.Context, s *cluster.State, req admission.Request) (Pass, error) {
	// The caller appends the steps of the validating phase, and a few of its own.
	room := asked(c.mutators, req) + asked(c.validators, req) + 3
	pass := Pass{State: s, Request: req, Steps: make([]trace.Step, 0, room)}
	first, err := c.mutateRound(ctx, pass, nil)
	if err != nil || first.Denial != nil || !asksForMore(first.Steps) {
		return first, err
	}
	return c.mutateRound(ctx, first, first.Steps)
}

func asksForMore(steps []trace.Step) bool {
	return slices.ContainsFunc(steps, func(s trace.Step) bool { return s.Did().Reinvoke })
}

// mutateRound runs every mutator once; earlier holds the steps of the first round.
func (c *Chain) mutateRound(ctx context.Context, pass Pass, earlier []trace.Step) (Pass, error) {
	round := 0
	if earlier != nil {
		round = 1
	}
	for _, p := range c.mutators {
		if !p.handles(pass.Request.Operation) {
			continue
		}
		step, err := p.Mutator.Mutate(ctx, pass.State, pass.Request, stepOf(earlier, p.Name))
		if err != nil {
			return pass, fmt.Errorf("%s: %w", p.Name, err)
		}
		step.Phase, step.Round = trace.Mutating, round
		if pass.take(p.Name, &step); pass.Denial != nil {
			break
		}
	}
	return pass, nil
}

func stepOf(steps []trace.Step, plugin string) *trace.Step {
	for i := range steps {
		if steps[i].Plugin == plugin {
			return &steps[i]
		}
	}
	return nil
}

// Validate runs the validating phase, once. It appends its steps to behind, the steps that the request already has.
func (c *Chain) Validate(ctx context.Context, s *cluster.State, req admission.Request, behind []trace.Step) (Pass, error) {
	pass := Pass{State: s, Request: req, Steps: behind}
	for _, p := range c.validators {
		if !p.handles(pass.Request.Operation) {
			continue
		}
		step, err := p.Validator.Validate(ctx, pass.State, pass.Request)
		if err != nil {
			return pass, fmt.Errorf("%s: %w", p.Name, err)
		}
		step.Phase = trace.Validating
		if pass.take(p.Name, &step); pass.Denial != nil {
			break
		}
	}
	return pass, nil
}

// asked returns how many of the plugins handle a request.
func asked(plugins []Plugin, req admission.Request) (n int) {
	for _, p := range plugins {
		if p.handles(req.Operation) {
			n++
		}
	}
	return n
}

// take adds a finished step to the pass: the object as the step left it, what it wrote,
// the time it took, and whether the request ends with it.
func (p *Pass) take(plugin string, step *trace.Step) {
	step.Plugin = plugin
	step.Start = p.Request.Elapsed
	p.Request.Elapsed += step.Duration
	p.Steps = append(p.Steps, *step)
	did := step.Did()
	if len(did.Writes) > 0 {
		p.State = p.State.With(did.Writes...)
	}
	if len(did.Changes) > 0 {
		p.State = p.State.Doing(did.Changes)
	}
	if did.Memory != nil {
		p.State = p.State.Remembering(plugin, did.Memory)
	}
	switch {
	case step.Outcome.Ends():
		p.Denial = step.Denial
	case step.Outcome == trace.Changed:
		p.Request.Object = step.After
	case did.Shown != nil:
		p.Request.Object = did.Shown
	}
}
