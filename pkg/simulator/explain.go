package simulator

import (
	"context"
	"net/http"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/plugins/policy"
	"github.com/admsim/admsim/pkg/plugins/webhook"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/trace"
)

// An Explanation says which policies would be evaluated for a request, and which webhooks called. In each phase
// policies come first.
type Explanation struct {
	Request            admission.Request // as it would enter the chain
	MutatingPolicies   []policy.Explanation
	Mutating           []webhook.Explanation
	ValidatingPolicies []policy.Explanation
	Validating         []webhook.Explanation

	// Refusal is the answer to the request if every webhook allowed it; nil if it would be admitted. Refused is
	// the step that refuses it, or nil if it does not get as far as admission.
	Refusal *metav1.Status
	Refused *trace.Step
}

// Explain says which policies would be evaluated for req and which webhooks called, in what order, and why the
// others would not. It calls no webhook: each webhook and policy is matched with the object as it would be
// after the plugins before and the server, if there were no other webhooks.
//
// If req has no object, although its verb needs one, it is explained as far as the object does not matter. A
// request about several objects has several explanations.
func (s *Simulator) Explain(ctx context.Context, req rest.Request) (_ []Explanation, err error) {
	defer bug.CatchStop(&err)
	ctx, stop := expression.Limited(ctx)
	defer stop()
	if len(req.Body) == 0 && slices.Contains([]string{rest.Create, rest.Update, rest.Patch}, req.Verb) {
		if s.Authorizes() {
			if a, err := s.Authorization(ctx, req); err != nil || a.Refusal != nil {
				return []Explanation{{Refusal: a.Refusal}}, err
			}
		}
		return s.foresee(ctx, req)
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
		return s.foresee(ctx, req)
	}
	return s.explainAll(ctx, result)
}

// ExplainAdmission is [Simulator.Explain] for a request whose objects are already prepared.
func (s *Simulator) ExplainAdmission(ctx context.Context, req admission.Request) (_ Explanation, err error) {
	defer bug.CatchStop(&err)
	ctx, stop := expression.Limited(ctx)
	defer stop()
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

// quiet is s with webhooks that allow everything. What converts objects has no verdict, and
// is needed to know what others are shown.
func (s *Simulator) quiet() (*Simulator, error) {
	return s.Fork(s.options.NewUID, func(configuration, webhook string) dispatch.Backend {
		if webhook == conversionWebhook {
			return s.options.Backends(configuration, webhook)
		}
		return &dispatch.Mock{}
	})
}

func (s *Simulator) explainAll(ctx context.Context, result *Result) ([]Explanation, error) {
	if len(result.Admissions) == 0 {
		return []Explanation{{Refusal: result.Status()}}, nil
	}
	all := make([]Explanation, len(result.Admissions))
	for i, a := range result.Admissions {
		var err error
		if all[i], err = s.explain(ctx, a); err != nil {
			return nil, err
		}
	}
	last := &all[len(all)-1]
	if last.Refusal = result.Status(); last.Refusal != nil {
		last.Refused = refusing(result.Admissions[len(all)-1].Steps)
	}
	return all, nil
}

// explain asks about an admission in which webhooks had no say.
func (s *Simulator) explain(ctx context.Context, a trace.Admission) (e Explanation, err error) {
	e.Request = a.Request
	shown := a.Request
	shown.Object = objectAt(a.Steps, mutatingPolicies, a.Object)
	s.askMutatingPolicies(ctx, &e, shown)
	shown.Object = objectAt(a.Steps, mutatingWebhooks, a.Object)
	if err := s.askMutating(ctx, &e, shown); err != nil {
		return e, err
	}
	shown.Object = a.Object
	s.askValidatingPolicies(ctx, &e, shown)
	return e, s.askValidating(ctx, &e, shown)
}

const (
	mutatingPolicies   = "MutatingAdmissionPolicy"
	mutatingWebhooks   = "MutatingAdmissionWebhook"
	validatingPolicies = "ValidatingAdmissionPolicy"
	validatingWebhooks = "ValidatingAdmissionWebhook"
)

func (s *Simulator) askMutatingPolicies(ctx context.Context, e *Explanation, req admission.Request) {
	if s.runs(mutatingPolicies) {
		e.MutatingPolicies = s.parts.policies.mutating.Explain(ctx, s.state, req)
	}
}

func (s *Simulator) askValidatingPolicies(ctx context.Context, e *Explanation, req admission.Request) {
	if s.runs(validatingPolicies) {
		e.ValidatingPolicies = s.parts.policies.validating.Explain(ctx, s.state, req)
	}
}

func (s *Simulator) askMutating(ctx context.Context, e *Explanation, req admission.Request) (err error) {
	if s.runs(mutatingWebhooks) {
		e.Mutating, err = s.parts.mutating.Explain(ctx, s.state, req)
	}
	return err
}

func (s *Simulator) askValidating(ctx context.Context, e *Explanation, req admission.Request) (err error) {
	if s.runs(validatingWebhooks) {
		e.Validating, err = s.parts.validating.Explain(ctx, s.state, req)
	}
	return err
}

// runs reports whether a plugin is on.
func (s *Simulator) runs(plugin string) bool {
	return slices.ContainsFunc(s.parts.release.plugins, func(p kubeversion.Plugin) bool { return p.Name == plugin })
}

// objectAt is the object as a plugin got it first; or, where the request did not come that
// far, as it was left.
func objectAt(steps []trace.Step, plugin string, left runtime.Object) runtime.Object {
	for _, step := range steps {
		if step.Plugin == plugin {
			return step.Before
		}
	}
	return left
}

func refusing(steps []trace.Step) *trace.Step {
	if n := len(steps); n > 0 && steps[n-1].Outcome.Ends() {
		return &steps[n-1]
	}
	return nil
}

// foresee explains a request of which no object is known.
func (s *Simulator) foresee(ctx context.Context, req rest.Request) ([]Explanation, error) {
	a := admission.Request{
		Operation:   operationOf(req.Verb),
		Resource:    req.Resource,
		Subresource: req.Subresource,
		Namespace:   req.Namespace,
		Name:        req.Name,
		DryRun:      req.Query.Has("dryRun"),
		User:        req.User,
		Timeout:     rest.Limit(req),
	}
	a.Kind, _ = s.parts.resources.KindFor(req.Resource, req.Subresource)
	if a.Resource.Group == "" && a.Resource.Resource == "namespaces" { // W-012
		a.Namespace = a.Name
	}
	e := Explanation{Request: a}
	for _, ask := range []func(context.Context, *Explanation, admission.Request) error{s.enter, s.askMutating, s.askValidating} {
		if err := ask(ctx, &e, a); err != nil {
			return nil, err
		}
	}
	s.askMutatingPolicies(ctx, &e, a)
	s.askValidatingPolicies(ctx, &e, a)
	return []Explanation{e}, nil
}

// enter asks the one plugin that needs no object: whether the namespace can be entered.
func (s *Simulator) enter(ctx context.Context, e *Explanation, req admission.Request) error {
	const name = "NamespaceLifecycle"
	plugin, known := s.parts.link(name)
	if !known || !s.runs(name) {
		return nil
	}
	step, err := plugin.Mutator.Mutate(ctx, s.state, req, nil)
	if err == nil && step.Outcome.Ends() {
		step.Phase, step.Plugin = trace.Mutating, name
		e.Refusal, e.Refused = step.Denial, &step
	}
	return err
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
