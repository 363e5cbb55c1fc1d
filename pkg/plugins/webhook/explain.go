package webhook

import (
	"context"
	"fmt"
	"strings"

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
	Index               int // in the order in which they are asked

	Called  Called
	Because string

	// Resource and Kind are what the webhook would be shown. Set where it would be called.
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind

	TimeoutSeconds int32 // 0: as long as the request may take
	FailurePolicy  admissionregistrationv1.FailurePolicyType
	SideEffects    admissionregistrationv1.SideEffectClass
	Reinvocable    bool
}

// Called is whether a webhook would be called.
type Called string

const (
	Yes     Called = "yes"
	No      Called = "no"
	Depends Called = "depends" // on the object, which is not known
)

// Explain says of every webhook whether it would be called for req, in their order, and
// calls none: each is matched with the object in req. For a request without any
// object it is said what of it matters.
func (p *Mutating) Explain(ctx context.Context, s *cluster.State, req admission.Request) ([]Explanation, error) {
	return p.hooks.explain(ctx, s, req)
}

// Explain does for validating webhooks what [Mutating.Explain] does.
func (p *Validating) Explain(ctx context.Context, s *cluster.State, req admission.Request) ([]Explanation, error) {
	return p.hooks.explain(ctx, s, req)
}

func (a *hooks) explain(ctx context.Context, s *cluster.State, req admission.Request) ([]Explanation, error) {
	world := a.world(s)
	asked, because := a.about(req)
	decide := a.decide
	if req.Object == nil && req.OldObject == nil {
		decide = a.foresee
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

// explanation is the part of it that no request changes.
func (h hook) explanation() Explanation {
	e := Explanation{
		Configuration: h.Configuration,
		Name:          h.Name,
		Source:        h.Source,
		Index:         h.Index,
		FailurePolicy: admissionregistrationv1.Fail, // where it is nil (W-187)
		Reinvocable:   h.Reinvocable,
	}
	if h.TimeoutSeconds != nil {
		e.TimeoutSeconds = *h.TimeoutSeconds
	}
	if h.FailurePolicy != nil {
		e.FailurePolicy = *h.FailurePolicy
	}
	if h.SideEffects != nil {
		e.SideEffects = *h.SideEffects
	}
	return e
}

// decide asks about a request whose objects are known, as a call would.
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

// foresee decides about a request of which no object is known: by everything that does not
// look at one. Where that is met, it depends on the rest.
func (a *hooks) foresee(ctx context.Context, h hook, req admission.Request, w matcher.World, e *Explanation) error {
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
	if open = append(open, depending...); e.Called == Yes && len(open) > 0 {
		e.Called, e.Because = Depends, strings.Join(open, "; ")
	}
	return nil
}
