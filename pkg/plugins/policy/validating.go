package policy

import (
	"cmp"
	"context"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/params"
	"github.com/admsim/admsim/internal/rbac"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/matcher"
	"github.com/admsim/admsim/pkg/trace"
)

// A Validating is the plugin ValidatingAdmissionPolicy for the policies of one cluster.
type Validating interface {
	chain.Validator
	// Explain is like that of [Mutating].
	Explain(ctx context.Context, s *cluster.State, req admission.Request) []Explanation
}

type validating struct {
	options Options
	hooks   *hooks[*validator]
}

// NewValidating compiles the policies of s and their bindings. If before is not nil, parts that did not change since
// then are not compiled again.
func NewValidating(s *cluster.State, o Options, before Validating) (Validating, error) {
	var earlier *hooks[*validator]
	if before, ok := before.(*validating); ok {
		earlier = before.hooks
	}
	hooks, err := validatingKind.hooksOf(s, o, earlier)
	return &validating{o, hooks}, err
}

// Validate evaluates every policy that applies, and denies the request only after all were evaluated (W-289):
// kubernetes/apiserver:pkg/admission/plugin/policy/validating/dispatcher.go.
func (p *validating) Validate(ctx context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	hooks, because := p.hooks.forRequest(req)
	if hooks == nil {
		return exempt(req, because), nil
	}
	v := &validation{
		validating: &validating{p.options, hooks},
		req:        req,
		world:      matcher.World{State: s, Resources: p.options.Resources},
		versions:   versions{},
		authorizer: rbac.Noting{UnconditionalAuthorizer: cluster.In(p.options.Authorizer, s, req.User.Username)},
	}
	var last *choice[*validator]
	for _, c := range hooks.choose(p.options, req, v.world) {
		if err := v.evaluate(ctx, c); err != nil { // ends the request, whichever policy is evaluated first
			status := admission.StatusOf(err)
			v.step.Hooks = append(v.step.Hooks, c.refused(req, status))
			v.end(c, status, err.Error())
			v.findings, last = nil, &c
			break
		}
	}
	hooks.lookUp(&v.step, p.options, req, v.world, last)
	v.conclude(ctx)
	summarize(&v.step, len(hooks.list))
	return v.step, v.unknown
}

// A validation is the validation of one request by the plugin.
type validation struct {
	*validating
	req        admission.Request
	world      matcher.World
	versions   versions
	shared     expression.Shared
	authorizer rbac.Noting

	unknown  error // why the server's behavior is not known
	step     trace.Step
	findings []finding // in the order in which policies are evaluated
}

// evaluate evaluates a policy under one of its bindings. The error refuses the request, regardless of the
// failurePolicy.
func (v *validation) evaluate(ctx context.Context, c choice[*validator]) error {
	if c.skipped != "" {
		v.skip(c)
		return nil
	}
	if c.err != nil {
		v.misconfigured(c, c.err)
		return nil
	}
	found, missing := v.options.params(&v.step, v.world.State, c.hook.policy, c.binding, v.req)
	if missing != nil && !params.AreOptional(missing) {
		v.misconfigured(c, missing)
		return nil
	}
	var objects *version
	var err error
	if len(found) > 0 {
		if objects, err = v.versions.of(v.options.Types, v.req, c.result.Kind); err != nil {
			v.misconfigured(c, fmt.Errorf("failed to convert object version: %w", err))
			return nil
		}
	}
	namespace, err := v.options.namespaceOf(v.world.State, v.req, &v.step)
	if err != nil {
		return err
	}
	if missing != nil && v.options.Explain { // its message takes time to build
		v.skip(c.without(missing))
	}
	for _, param := range found {
		v.judge(ctx, c, objects, param, namespace)
	}
	return nil
}

// judge evaluates a policy with one param, and applies the actions of the binding.
func (v *validation) judge(ctx context.Context, c choice[*validator], objects *version, param runtime.Object, namespace *corev1.Namespace) {
	in := expression.Input{
		Request:    v.req,
		Resource:   c.result.Resource,
		Kind:       c.result.Kind,
		Object:     objects.object,
		OldObject:  objects.old,
		Authorizer: &v.authorizer,
		Params:     param,
		Namespace:  namespace,
		Shared:     &v.shared,
	}
	r := c.hook.matcher.Conditions(ctx, in, c.result)
	record := v.record(c, param)
	record.Because = c.hook.matcher.Explain(v.req, v.world, r)
	record.Decided, record.Expressions = r.Criterion(), r.Expressions()
	var j judgement
	switch {
	case r.Cause != nil:
		j.decisions = []decision{c.hook.impl.failure(r.Cause.Error())}
	case !r.Applies:
		record.Outcome, record.Hint = unmet(r.Evaluation), v.authorizer.Hint()
		if v.options.Explain || record.Outcome == trace.FailedOpen {
			v.step.Hooks = append(v.step.Hooks, record)
		}
		return
	default:
		record.Called, record.Matched = true, v.options.whyMatched(record.Because, c.binding, v.req, v.world)
		j = c.hook.impl.judge(ctx, in)
		if v.options.Variables {
			record.Expressions = append(record.Expressions, variablesOf(ctx, c.hook.scope, in)...)
		}
		record.Expressions = append(record.Expressions, j.expressions...)
	}
	record.Hint = v.authorizer.Hint()
	v.act(c, j, &record)
	v.step.Hooks = append(v.step.Hooks, record)
}

// act applies the actions of the binding to every decision (W-287), and keeps the audit annotations, whose errors deny
// regardless of the actions (W-292).
func (v *validation) act(c choice[*validator], j judgement, record *trace.Hook) {
	because := ""
	found := finding{choice: c, param: record.Param}
	for i, d := range j.decisions {
		switch {
		case d.failed && !d.denies:
			record.Outcome = trace.FailedOpen
			because = cmp.Or(because, d.message+" (failurePolicy Ignore)")
		case d.denies:
			because = cmp.Or(because, fmt.Sprintf("%s (validationActions %v)", d.message, c.binding.actions))
		}
		if !d.denies {
			continue
		}
		for _, action := range c.binding.actions {
			switch action {
			case admissionregistrationv1.Deny:
				v.deny(&found, d, record)
			case admissionregistrationv1.Audit:
				failed := failure{d.message, c.hook.name, c.binding.name, i, c.binding.actions}
				record.Annotations = append(record.Annotations, failureAnnotation(failed))
				found.failures = append(found.failures, failed)
			case admissionregistrationv1.Warn:
				text := fmt.Sprintf("Validation failed for ValidatingAdmissionPolicy '%s' with binding '%s': %s", c.hook.name, c.binding.name, d.message)
				record.Warnings = append(record.Warnings, text)
			}
		}
	}
	if record.Denial == nil {
		record.Because = cmp.Or(because, record.Because)
	}
	for _, a := range j.annotations {
		switch {
		case a.err != nil:
			v.deny(&found, decision{denies: true, failed: true, message: a.err.Error()}, record)
		case a.value != "":
			found.values = append(found.values, a)
		}
	}
	found.warnings = record.Warnings
	v.collect(found)
}

// misconfigured records a policy or binding that cannot be evaluated. Unlike a failed validation, it denies regardless
// of the binding's actions (W-275).
func (v *validation) misconfigured(c choice[*validator], err error) {
	v.unknown = cmp.Or(v.unknown, unknown(err))
	record := v.record(c, nil)
	record.Hint = hintOf(err)
	text := c.misconfigured(err)
	if c.hook.ignores {
		record.Outcome, record.Because = trace.FailedOpen, text+" (failurePolicy Ignore)"
	} else {
		refused := finding{choice: c}
		v.deny(&refused, decision{message: text}, &record)
		v.collect(refused)
	}
	v.step.Hooks = append(v.step.Hooks, record)
}

// deny records a denial. For one policy, binding and param only the first can be the answer.
func (v *validation) deny(s *finding, d decision, record *trace.Hook) {
	if record.Denial != nil {
		return
	}
	record.Outcome, record.Denial, record.Because = trace.Denied, denial(v.req, s.choice, d), d.message
	if d.failed {
		record.Hint = cmp.Or(record.Hint, s.choice.hook.placeOf(d.message, record.Expressions))
	}
	refusal := *record
	s.refusal = &refusal
}

func (v *validation) end(c choice[*validator], status *metav1.Status, because string) {
	v.step.Outcome, v.step.Denial, v.step.Source = trace.Denied, status, c.hook.object.Source
	v.step.Because = c.text() + ": " + because
}

func (v *validation) record(c choice[*validator], param runtime.Object) trace.Hook {
	r := c.record(param)
	r.Outcome, r.Start = trace.Allowed, v.req.Elapsed
	return r
}

func (v *validation) skip(c choice[*validator]) {
	if !v.options.Explain {
		return
	}
	record := v.record(c, nil)
	record.Outcome, record.Because = trace.Skipped, c.skipped
	v.step.Hooks = append(v.step.Hooks, record)
}
