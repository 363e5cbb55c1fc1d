package policy

import (
	"context"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/params"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/matcher"
	"github.com/admsim/admsim/pkg/trace"
)

// An Explanation says whether a policy would be evaluated for a request under one of its bindings, with one of its
// params, and why.
type Explanation struct {
	Policy, Binding       string // Binding is empty if the policy alone decides
	Source, BindingSource string
	Param                 string // as kind and name; empty if there is none
	Index                 int    // of the policy, in the order of evaluation

	Asked   Asked
	Because string

	// Resource and Kind are those that the policy would get. They are set if it would be evaluated.
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind

	FailurePolicy admissionregistrationv1.FailurePolicyType
	Actions       []admissionregistrationv1.ValidationAction // of the binding
	Reinvocable   bool
}

// Asked says whether a policy would be evaluated.
type Asked string

const (
	Yes     Asked = "yes"
	No      Asked = "no"
	Depends Asked = "depends" // on the object, which is not known
)

func (p *mutating) Explain(ctx context.Context, s *cluster.State, req admission.Request) []Explanation {
	if _, exempt := matcher.ExemptFromPolicies(req); exempt != matcher.ExemptFromAll && req.Operation == admissionv1.Delete { // W-301
		return p.hooks.notAsked(0, "what is deleted is not changed")
	}
	return p.hooks.explain(ctx, p.options, s, req)
}

func (p *validating) Explain(ctx context.Context, s *cluster.State, req admission.Request) []Explanation {
	return p.hooks.explain(ctx, p.options, s, req)
}

func (a *hooks[E]) explain(ctx context.Context, o Options, s *cluster.State, req admission.Request) []Explanation {
	asked, because := a.forRequest(req)
	if asked == nil {
		return a.notAsked(0, because)
	}
	return append(asked.explainAll(ctx, o, s, req), a.notAsked(len(asked.list), because)...)
}

func (a *hooks[E]) explainAll(ctx context.Context, o Options, s *cluster.State, req admission.Request) []Explanation {
	o.Explain = true
	x := &explaining[E]{options: o, req: req, world: matcher.World{State: s, Resources: o.Resources}, versions: versions{}}
	if req.Object == nil && req.OldObject == nil {
		a, x.open = a.withoutObject(req)
	}
	for _, c := range a.choose(o, req, x.world) {
		x.choice(ctx, c)
	}
	return x.all
}

// notAsked explains why no policy with index from or higher is evaluated for a request.
func (a *hooks[E]) notAsked(from int, because string) (all []Explanation) {
	for i := from; i < len(a.list); i++ {
		c := choice[E]{index: i, hook: &a.list[i]}
		if len(c.hook.bindings) == 0 {
			all = append(all, c.explanation(No, because))
		}
		for _, c.binding = range c.hook.bindings {
			all = append(all, c.explanation(No, because))
		}
	}
	return all
}

// withoutObject returns policies that do not depend on objects, and the conditions on objects that were removed from
// each policy and binding.
func (a *hooks[E]) withoutObject(req admission.Request) (*hooks[E], map[any][]string) {
	open := map[any][]string{}
	blind := &hooks[E]{list: make([]hook[E], len(a.list))}
	for i, h := range a.list {
		p := *h.policy
		var selectors, conditions []string
		p.criteria, selectors = h.criteria.WithoutObject(req)
		p.conditions, conditions = matcher.ConditionsWithoutObject(h.conditions, req)
		p.criteria.Conditions = h.scope.Conditions(p.conditions)
		p.matcher = matcher.Compile(p.criteria)
		open[&p] = append(selectors, conditions...)

		to := hook[E]{policy: &p, impl: h.impl}
		for _, known := range h.bindings {
			b := *known
			if b.matcher != nil {
				b.criteria, open[&b] = known.criteria.WithoutObject(req)
				b.matcher = matcher.Compile(b.criteria)
			}
			to.bindings = append(to.bindings, &b)
		}
		blind.list[i] = to
	}
	return blind, open
}

// An explaining collects the explanations of the policies of one kind for one request.
type explaining[E any] struct {
	options  Options
	req      admission.Request
	world    matcher.World
	versions versions
	open     map[any][]string // conditions of a policy or binding on the object, which is not known

	all []Explanation
}

func (x *explaining[E]) choice(ctx context.Context, c choice[E]) {
	if c.skipped != "" {
		x.all = append(x.all, c.explanation(No, c.skipped))
		return
	}
	found, err := x.params(c)
	if params.AreOptional(err) {
		x.all = append(x.all, c.explanation(No, err.Error()))
		return
	}
	if err != nil {
		because := c.misconfigured(err)
		if !c.hook.ignores {
			because += "; that refuses the request"
		}
		if hint := hintOf(err); hint != "" {
			because += "; " + hint
		}
		x.all = append(x.all, c.explanation(No, because))
		return
	}
	for _, param := range found {
		x.all = append(x.all, x.asked(ctx, c, param))
	}
}

func (x *explaining[E]) params(c choice[E]) ([]runtime.Object, error) {
	if c.err != nil {
		return nil, c.err
	}
	if _, err := x.versions.of(x.options.Types, x.req, c.result.Kind); err != nil {
		return nil, err
	}
	return x.options.params(new(trace.Step), x.world.State, c.hook.policy, c.binding, x.req)
}

// asked explains whether the match conditions let the policy be evaluated.
func (x *explaining[E]) asked(ctx context.Context, c choice[E], param runtime.Object) Explanation {
	objects := x.versions[c.result.Kind]
	r := c.hook.matcher.Conditions(ctx, expression.Input{
		Request:    x.req,
		Resource:   c.result.Resource,
		Kind:       c.result.Kind,
		Object:     objects.object,
		OldObject:  objects.old,
		Authorizer: cluster.In(x.options.Authorizer, x.world.State, x.req.User.Username),
		Params:     param,
	}, c.result)
	because := c.hook.matcher.Explain(x.req, x.world, r)
	e := c.explanation(No, because)
	e.Param = params.Text(param)
	open := append(append([]string(nil), x.open[c.hook.policy]...), x.open[c.binding]...)
	switch {
	case (r.Applies || r.Cause != nil && !c.hook.ignores) && len(open) > 0:
		e.Asked, e.Because = Depends, strings.Join(open, "; ")
	case r.Cause != nil && !c.hook.ignores:
		e.Because += "; that is as if it denied"
	case r.Applies:
		e.Asked, e.Because = Yes, x.options.whyMatched(because, c.binding, x.req, x.world)
	}
	return e
}

func (c choice[E]) explanation(a Asked, because string) Explanation {
	e := Explanation{
		Policy:        c.hook.name,
		Source:        c.hook.object.Source,
		Index:         c.index,
		Asked:         a,
		Because:       because,
		Resource:      c.result.Resource,
		Kind:          c.result.Kind,
		FailurePolicy: admissionregistrationv1.Fail,
	}
	if c.hook.ignores {
		e.FailurePolicy = admissionregistrationv1.Ignore
	}
	if c.binding != nil {
		e.Binding, e.BindingSource, e.Actions = c.binding.name, c.binding.source, c.binding.actions
	}
	if m, ok := any(c.hook.impl).(*mutator); ok {
		e.Reinvocable = m.reinvocable
	}
	return e
}
