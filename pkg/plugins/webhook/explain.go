package webhook

import (
	"context"
	"fmt"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/matcher"
)

// An Explanation says whether one webhook would be called for a request, and why.
type Explanation struct {
	Configuration, Name string
	Source              string
	Index               int // in the order in which webhooks are called

	Called  Called
	Because string

	// Resource and Kind are those that the webhook would get. They are set if it would be called.
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind

	Timeout       time.Duration // how long it may take if the request has enough time
	FailurePolicy admissionregistrationv1.FailurePolicyType
	SideEffects   admissionregistrationv1.SideEffectClass
	Reinvocable   bool
}

// Called says whether a webhook would be called.
type Called string

const (
	Yes     Called = "yes"
	No      Called = "no"
	Depends Called = "depends" // on the object, which is not known
)

// Explain reports for every webhook whether it would be called for req, in their order, without calling them: each is
// matched with the object in req. For a request without an object it reports which of its properties matter.
func (p *Mutating) Explain(ctx context.Context, s *cluster.State, req admission.Request) ([]Explanation, error) {
	return p.hooks.explain(ctx, s, req)
}

// Explain is like [Mutating.Explain], for validating webhooks.
func (p *Validating) Explain(ctx context.Context, s *cluster.State, req admission.Request) ([]Explanation, error) {
	return p.hooks.explain(ctx, s, req)
}

func (a *hooks) explain(ctx context.Context, s *cluster.State, req admission.Request) ([]Explanation, error) {
	world := a.world(s)
	asked, because := a.forRequest(req)
	decide := a.decide
	if req.Object == nil && req.OldObject == nil {
		decide = a.decideWithoutObject
	}
	all := make([]Explanation, 0, len(a.list))
	for i, h := range a.list {
		e := h.explanation()
		if asked == nil || i >= len(asked.list) {
			e.Called, e.Because = No, because
		} else if err := decide(ctx, h, req, world, &e); err != nil {
			return nil, fmt.Errorf("webhook %s: %w", h.ID, err)
		}
		all = append(all, e)
	}
	return all, nil
}

// explanation returns the parts of an explanation that do not depend on the request.
func (h hook) explanation() Explanation {
	e := Explanation{
		Configuration: h.Configuration,
		Name:          h.Name,
		Source:        h.Source,
		Index:         h.Index,
		Timeout:       h.Limit(),
		FailurePolicy: admissionregistrationv1.Fail, // if it is nil (W-187)
		Reinvocable:   h.Reinvocable,
	}
	if h.FailurePolicy != nil {
		e.FailurePolicy = *h.FailurePolicy
	}
	if h.SideEffects != nil {
		e.SideEffects = *h.SideEffects
	}
	return e
}

// decide decides for a request whose objects are known, as a call would.
func (a *hooks) decide(ctx context.Context, h hook, req admission.Request, w matcher.World, e *Explanation) error {
	r, err := a.applies(ctx, h, req, w, func(kind schema.GroupVersionKind) (*versioned, error) {
		return inVersion(a.Types, req, kind)
	})
	if err != nil {
		return err
	}
	e.take(r, h.matcher.Explain(req, w, r))
	return nil
}

func (e *Explanation) take(r matcher.Result, because string) {
	e.Called, e.Because = No, because
	if r.Denial != nil {
		e.Because += "; that refuses the request"
	}
	if r.Applies {
		e.Called, e.Resource, e.Kind = Yes, r.Resource, r.Kind
	}
}

// decideWithoutObject decides for a request whose object is not known, by all conditions that do not depend on the object. If they
// are met, or fail, it depends on the rest.
func (a *hooks) decideWithoutObject(ctx context.Context, h hook, req admission.Request, w matcher.World, e *Explanation) error {
	criteria, open := h.criteria.WithoutObject(req)
	known, depending := matcher.ConditionsWithoutObject(h.conditions, req)
	criteria.Conditions = a.Expressions.Conditions(known)
	m := matcher.Compile(criteria)
	r := m.Match(req, w)
	if r.Applies && m.HasConditions() {
		r = m.Conditions(ctx, expression.Input{
			Request:    req,
			Resource:   req.Resource,
			Kind:       r.Kind,
			Authorizer: cluster.In(a.Authorizer, w.State, req.User.Username),
		}, r)
	}
	e.take(r, m.Explain(req, w, r))
	if open = append(open, depending...); (r.Applies || r.Denial != nil) && len(open) > 0 {
		e.Called, e.Because = Depends, strings.Join(open, "; ")
	}
	return nil
}
