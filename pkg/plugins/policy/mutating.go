package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/params"
	"github.com/admsim/admsim/internal/rbac"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/matcher"
	"github.com/admsim/admsim/pkg/trace"
)

// A Mutating is the plugin MutatingAdmissionPolicy for the policies of one cluster. Like [Validating] it is an interface,
// since every package that sees the type of a field compiles the generic types in it again.
type Mutating interface {
	chain.Mutator
	// Explain reports for every policy and binding whether they would be evaluated for req, in their order, without
	// evaluating them: match conditions see the object in req. For a request without an object it reports which of its
	// properties matter.
	Explain(ctx context.Context, s *cluster.State, req admission.Request) []Explanation
}

type mutating struct {
	options Options
	hooks   *hooks[*mutator]
}

// NewMutating compiles the policies of s and their bindings. If before is not nil, parts that did not change since then
// are not compiled again.
func NewMutating(s *cluster.State, o Options, before Mutating) (Mutating, error) {
	var earlier *hooks[*mutator]
	if before, ok := before.(*mutating); ok {
		earlier = before.hooks
	}
	hooks, err := mutatingKind.hooksOf(s, o, earlier)
	return &mutating{o, hooks}, err
}

// Mutate chooses the policies that apply to the object as it comes in, and then applies their mutations one after the
// other, each to the result of the previous ones (W-302, W-303):
// kubernetes/apiserver:pkg/admission/plugin/policy/mutating/dispatcher.go.
func (p *mutating) Mutate(ctx context.Context, s *cluster.State, req admission.Request, earlier *trace.Step) (trace.Step, error) {
	hooks, because := p.hooks.forRequest(req)
	if hooks == nil {
		return exempt(req, because), nil
	}
	again := func() *round {
		return &round{
			mutating:   &mutating{p.options, hooks},
			req:        req,
			world:      matcher.World{State: s, Resources: p.options.Resources},
			versions:   versions{},
			authorizer: rbac.Noting{UnconditionalAuthorizer: cluster.In(p.options.Authorizer, s, req.User.Username)},
			again:      reinvocationAfter(earlier, req.Object),
			step:       trace.Step{Before: req.Object, After: req.Object},
		}
	}
	r := again()
	r.run(ctx, nil)
	if order := r.order(ctx, again); order != nil {
		r = again()
		r.run(ctx, order)
	}
	summarize(&r.step, len(hooks.list))
	return r.step, r.unknown
}

// A round is one round of the plugin for one request.
type round struct {
	*mutating
	req        admission.Request
	world      matcher.World
	again      *chain.Reinvocation // nil in the first round
	namespace  *corev1.Namespace
	authorizer rbac.Noting

	chosen   []invocation
	versions versions
	last     *version // to which a mutation was last applied
	refusals []refusal
	unknown  error // why the server's behavior is not known
	step     trace.Step
}

// An invocation is a choice with one param and the object that it applies to.
type invocation struct {
	choice[*mutator]
	param  runtime.Object
	object *version
}

// run executes the round. order is the order of the invocations; nil: the order in which they were chosen.
func (r *round) run(ctx context.Context, order []int) {
	r.chosen = r.choose()
	r.hooks.lookUp(&r.step, r.options, r.req, r.world, nil)
	if len(r.chosen) > 0 {
		r.invoke(ctx, ordered(r.chosen, order))
	}
	r.finish()
}

// choose returns the invocations. All of them are chosen before the first mutation.
func (r *round) choose() []invocation {
	var list []invocation
	for _, c := range r.hooks.choose(r.options, r.req, r.world) {
		if c.skipped != "" {
			r.skip(c)
			continue
		}
		if c.err != nil {
			r.misconfigured(c, c.err)
			continue
		}
		object, err := r.versions.of(r.options.Types, r.req, c.result.Kind)
		if err != nil {
			c.binding = nil // the server blames the policy
			r.misconfigured(c, err)
			continue
		}
		found, err := r.options.params(&r.step, r.world.State, c.hook.policy, c.binding, r.req)
		switch {
		case params.AreOptional(err):
			if r.options.Explain {
				r.skip(c.without(err))
			}
			continue
		case err != nil:
			r.misconfigured(c, err)
			continue
		}
		for _, param := range found {
			list = append(list, invocation{c, param, object})
		}
	}
	return list
}

// invoke executes the invocations. It stops when one of them ends the request at once.
func (r *round) invoke(ctx context.Context, list []invocation) {
	var err error
	if r.namespace, err = r.options.namespaceOf(r.world.State, r.req, &r.step); err != nil {
		status := admission.StatusOf(err)
		r.step.Hooks = append(r.step.Hooks, list[0].refused(r.req, status))
		r.end(list[0].choice, status, err.Error())
		return
	}
	for _, i := range list {
		if r.evaluate(ctx, i); r.step.Outcome.Ends() {
			return
		}
	}
}

// evaluate evaluates the match conditions of one invocation for the current object, and applies its mutations if they
// are due.
func (r *round) evaluate(ctx context.Context, i invocation) {
	in := r.input(i)
	result := i.hook.matcher.Conditions(ctx, in, i.result)
	record := r.record(i.choice, i.param)
	record.Because = i.hook.matcher.Explain(r.req, r.world, result)
	record.Decided, record.Expressions = result.Criterion(), result.Expressions()
	switch {
	case result.Cause != nil: // refuses even if it would not be invoked again
		r.refuse(i.choice, &record, result.Cause.Error(), metav1.StatusReasonInvalid)
	case !result.Applies:
		record.Outcome = unmet(result.Evaluation)
	case !r.again.Due(record.ID):
		record.Outcome, record.Decided, record.Because = trace.Skipped, trace.Criterion{}, r.again.Why(record.ID, "asked")
	default:
		r.mutate(ctx, i, &record)
	}
	record.Hint = cmp.Or(r.authorizer.Hint(), record.Hint)
	if record.Outcome != trace.Skipped || r.options.Explain {
		r.step.Hooks = append(r.step.Hooks, record)
	}
}

func (r *round) input(i invocation) expression.Input {
	return expression.Input{
		Request:    r.req,
		Resource:   i.result.Resource,
		Kind:       i.result.Kind,
		Object:     i.object.object,
		OldObject:  i.object.old,
		Authorizer: &r.authorizer,
		Params:     i.param,
		Namespace:  r.namespace,
	}
}

// mutate applies the mutations of one invocation, each to the result of the previous one. Mutations that fail are
// skipped (W-310).
func (r *round) mutate(ctx context.Context, i invocation, record *trace.Hook) {
	record.Called = true
	record.Matched = r.options.whyMatched(record.Because, i.binding, r.req, r.world)
	if r.options.Variables {
		record.Expressions = append(record.Expressions, variablesOf(ctx, i.hook.scope, r.input(i))...)
	}
	before := i.object.object
	for _, m := range i.hook.impl.mutations {
		r.last = i.object
		if i.object.object == nil { // there is nothing to mutate
			continue
		}
		e, err := r.apply(ctx, m, i)
		record.Expressions = append(record.Expressions, e)
		if status := apierrors.APIStatus(nil); errors.As(err, &status) { // W-312
			record.Outcome, record.Denial, record.Because = trace.Denied, admission.StatusOf(err), err.Error()
			r.end(i.choice, record.Denial, err.Error())
			return
		}
		if err != nil {
			r.refuse(i.choice, record, err.Error(), metav1.StatusReasonInvalid)
		}
	}
	changed := !semantic.DeepEqual(before, i.object.object)
	if changed {
		record.Before, record.After = before, i.object.object
		if record.Outcome == trace.Allowed {
			record.Outcome = trace.Changed
		}
		r.step.Reinvoke()
	}
	r.again.Took(*record, changed)
}

// apply applies one mutation.
func (r *round) apply(ctx context.Context, m mutation, i invocation) (trace.Expression, error) {
	if m.err != nil {
		return trace.Expression{Field: m.field, Error: m.err.Error()}, m.err
	}
	if err := r.options.published(i.object.kind); err != nil {
		return trace.Expression{Field: m.field, Text: m.Expression(), Error: err.Error()}, err
	}
	e := trace.Expression{Field: m.field, Text: m.Expression(), Budget: expression.Budget}
	change, err := m.Evaluate(ctx, r.input(i))
	e.Cost = change.Cost
	if err == nil {
		e.Value = changeText(change)
		var object runtime.Object
		if object, err = r.options.changed(i.object, change, r.req); err == nil {
			e.Changed = r.options.Explain && !semantic.DeepEqual(i.object.object, object)
			i.object.object, i.object.dirty = object, true
		}
	}
	if err != nil {
		e.Error = err.Error()
	}
	return e, err
}

// finish passes the object on, unless the request ends here. Of several versions only the last one counts (W-318), and
// any mutation that succeeded asks for a second round, whether it changed anything or not (W-315).
func (r *round) finish() {
	if r.step.Outcome.Ends() {
		return
	}
	if r.last != nil && r.last.dirty {
		r.step.Reinvoke()
		object, err := r.options.Types.ConvertOnto(r.last.object, r.req.Object, r.req.Kind)
		if err != nil {
			r.unknown = cmp.Or(r.unknown, unknown(err))
			err = apierrors.NewInternalError(fmt.Errorf("failed to convert object: %w", err))
			r.step.Outcome, r.step.Denial, r.step.Because = trace.Denied, admission.StatusOf(err), err.Error()
			return
		}
		if r.options.Types.Differ(r.req.Object, object) {
			r.step.Outcome, r.step.After = trace.Changed, object
		}
	}
	if len(r.refusals) > 0 {
		r.step.After = r.step.Before
		r.end(r.refusals[0].choice, r.denial(r.refusals...), r.refusals[0].text)
	}
}

func (r *round) end(c choice[*mutator], status *metav1.Status, because string) {
	r.step.Outcome, r.step.Denial, r.step.Source = trace.Denied, status, c.hook.object.Source
	r.step.Because = c.text() + ": " + because
	if r.step.Effects != nil {
		r.step.Effects.Reinvoke = false
	}
}

func (r *round) record(c choice[*mutator], param runtime.Object) trace.Hook {
	h := c.record(param)
	h.Outcome, h.Start = trace.Allowed, r.req.Elapsed
	h.Reinvocable = c.hook.impl.reinvocable
	return h
}

func (r *round) skip(c choice[*mutator]) {
	h := r.record(c, nil)
	h.Outcome, h.Because = trace.Skipped, c.skipped
	r.step.Hooks = append(r.step.Hooks, h)
}
