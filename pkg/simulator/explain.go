package simulator

import (
	"context"
	"net/http"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/plugins/hooks"
	"github.com/admsim/admsim/pkg/rest"
)

// An Explanation says which policies would be evaluated for a request, and which webhooks called. In each phase
// policies come first.
type Explanation struct{ hooks.Explanation }

// Explain returns which policies would be evaluated for req and which webhooks called, in what order, and why the
// others would not. It calls no webhook: each webhook and policy is matched with the object as it would be after the
// server and earlier plugins, if there were no other webhooks.
//
// If req has no object, although its verb needs one, the explanation only covers what does not depend on the object. A
// request for several objects has several explanations.
func (s *Simulator) Explain(ctx context.Context, req rest.Request) (_ []Explanation, err error) {
	ctx, stop := expression.Limited(ctx)
	defer stop(&err)
	if len(req.Body) == 0 && slices.Contains([]string{rest.Create, rest.Update, rest.Patch}, req.Verb) {
		if s.Authorizes() {
			if a, err := s.Authorization(ctx, req); err != nil || a.Refusal != nil {
				return refused(a.Refusal), err
			}
		}
		return s.explainWithoutObject(ctx, req)
	}
	quiet, err := s.quiet()
	if err != nil {
		return nil, err
	}
	result, err := quiet.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	if missing := result.Code == http.StatusNotFound || req.Name == ""; missing && len(result.Admissions) == 0 && len(req.Body) == 0 {
		return s.explainWithoutObject(ctx, req)
	}
	return s.explainAll(ctx, result)
}

// ExplainAdmission is like [Simulator.Explain] for a request whose objects are already prepared.
func (s *Simulator) ExplainAdmission(ctx context.Context, req admission.Request) (_ Explanation, err error) {
	ctx, stop := expression.Limited(ctx)
	defer stop(&err)
	quiet, err := s.quiet()
	if err != nil {
		return Explanation{}, err
	}
	result, err := quiet.Admit(ctx, req)
	if err != nil {
		return Explanation{}, err
	}
	all, err := s.explainAll(ctx, result)
	if err != nil {
		return Explanation{}, err
	}
	return all[0], nil
}

// ExplainResult is like [Simulator.Explain] for a request that s answered: webhooks and policies are matched with the
// objects that they would have got.
func (s *Simulator) ExplainResult(ctx context.Context, result *Result) (_ []Explanation, err error) {
	ctx, stop := expression.Limited(ctx)
	defer stop(&err)
	return s.explainAll(ctx, result)
}

// quiet returns s with webhooks that allow everything. Conversion webhooks are kept: they give no verdict, and are
// needed to know what other webhooks get.
func (s *Simulator) quiet() (*Simulator, error) {
	return s.Fork(s.options.NewUID, func(configuration, webhook string) dispatch.Backend {
		if webhook == dispatch.ConversionWebhook {
			return s.options.Backends(configuration, webhook)
		}
		return &dispatch.Mock{}
	})
}

func (s *Simulator) explainAll(ctx context.Context, result *Result) ([]Explanation, error) {
	if len(result.Admissions) == 0 {
		return refused(result.Status()), nil
	}
	all := make([]Explanation, len(result.Admissions))
	for i, a := range result.Admissions {
		var err error
		if all[i].Explanation, err = s.parts.hooks.Explain(ctx, s.state, a); err != nil {
			return nil, err
		}
	}
	last := len(all) - 1
	all[last].Refusal, all[last].Refused = result.Status(), result.DeniedBy
	return all, nil
}

// refused explains a request that is refused before admission.
func refused(status *metav1.Status) []Explanation {
	return []Explanation{{hooks.Explanation{Refusal: status}}}
}

// explainWithoutObject explains a request whose object is not known.
func (s *Simulator) explainWithoutObject(ctx context.Context, req rest.Request) ([]Explanation, error) {
	a := admission.Request{
		Operation:   operationOf(req.Verb),
		Resource:    req.Resource,
		Subresource: req.Subresource,
		Namespace:   req.Namespace,
		Name:        req.Name,
		DryRun:      req.Query.Has("dryRun"),
		User:        req.User,
		Timeout:     req.Limit(s.Release()),
	}
	a.Kind, _ = s.Resources().KindFor(req.Resource, req.Subresource)
	if a.Resource.Group == "" && a.Resource.Resource == "namespaces" { // W-012
		a.Namespace = a.Name
	}
	enter := s.parts.builtIn["NamespaceLifecycle"]
	e, err := s.parts.hooks.Foresee(ctx, s.state, a, enter)
	return []Explanation{{e}}, err
}

func operationOf(verb string) admissionv1.Operation {
	switch verb {
	case rest.Create:
		return admissionv1.Create
	case rest.Update, rest.Patch:
		return admissionv1.Update
	case rest.Delete, rest.DeleteCollection:
		return admissionv1.Delete
	}
	return admissionv1.Connect
}
