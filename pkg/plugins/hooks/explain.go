package hooks

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/plugins/policy"
	"github.com/admsim/admsim/pkg/plugins/webhook"
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

	// Objects has the object of the request as each plugin gets it, by name of the plugin.
	Objects map[string]runtime.Object

	Dropped []string // which fields of the object the server would drop, and why

	// Refusal is the answer to the request if every webhook allowed it; nil if it would be admitted. Refused is the
	// step that refuses it, or nil if it is refused before admission.
	Refusal *metav1.Status
	Refused *trace.Step
}

// Explain explains an admission in which all webhooks allowed the request. status is the answer to the request if it
// failed.
func (p *Plugins) Explain(ctx context.Context, s *cluster.State, a trace.Admission) (e Explanation, err error) {
	s = objects.Cached(s, p.options.Release)
	e.Request = a.Request
	for _, step := range a.Steps {
		e.Dropped = append(e.Dropped, step.Did().Dropped...)
	}
	e.Objects = map[string]runtime.Object{
		mutatingPolicies:   objectAt(a.Steps, mutatingPolicies, a.Object),
		mutatingWebhooks:   objectAt(a.Steps, mutatingWebhooks, a.Object),
		validatingPolicies: a.Object,
		validatingWebhooks: a.Object,
	}
	shown := a.Request
	shown.Object = e.Objects[mutatingPolicies]
	p.askMutatingPolicies(ctx, s, &e, shown)
	shown.Object = e.Objects[mutatingWebhooks]
	if err := p.askMutating(ctx, s, &e, shown); err != nil {
		return e, err
	}
	shown.Object = a.Object
	p.askValidatingPolicies(ctx, s, &e, shown)
	return e, p.askValidating(ctx, s, &e, shown)
}

// Foresee explains a request whose object is not known. enter is the only plugin that needs no object: it says whether
// the namespace accepts requests.
func (p *Plugins) Foresee(ctx context.Context, s *cluster.State, req admission.Request, enter chain.Plugin) (e Explanation, err error) {
	s = objects.Cached(s, p.options.Release)
	e.Request = req
	if p.runs(enter.Name) && enter.Mutator != nil {
		step, err := enter.Mutator.Mutate(ctx, s, req, nil)
		if err != nil {
			return e, err
		}
		if step.Outcome.Ends() {
			step.Phase, step.Plugin = trace.Mutating, enter.Name
			e.Refusal, e.Refused = step.Denial, &step
		}
	}
	if err := p.askMutating(ctx, s, &e, req); err != nil {
		return e, err
	}
	if err := p.askValidating(ctx, s, &e, req); err != nil {
		return e, err
	}
	p.askMutatingPolicies(ctx, s, &e, req)
	p.askValidatingPolicies(ctx, s, &e, req)
	return e, nil
}

func (p *Plugins) askMutatingPolicies(ctx context.Context, s *cluster.State, e *Explanation, req admission.Request) {
	if p.runs(mutatingPolicies) {
		e.MutatingPolicies = p.mutatingPolicies.Explain(ctx, s, req)
	}
}

func (p *Plugins) askValidatingPolicies(ctx context.Context, s *cluster.State, e *Explanation, req admission.Request) {
	if p.runs(validatingPolicies) {
		e.ValidatingPolicies = p.validatingPolicies.Explain(ctx, s, req)
	}
}

func (p *Plugins) askMutating(ctx context.Context, s *cluster.State, e *Explanation, req admission.Request) (err error) {
	if p.runs(mutatingWebhooks) {
		e.Mutating, err = p.mutating.Explain(ctx, s, req)
	}
	return err
}

func (p *Plugins) askValidating(ctx context.Context, s *cluster.State, e *Explanation, req admission.Request) (err error) {
	if p.runs(validatingWebhooks) {
		e.Validating, err = p.validating.Explain(ctx, s, req)
	}
	return err
}

// runs reports whether a plugin is on.
func (p *Plugins) runs(plugin string) bool {
	return slices.ContainsFunc(p.options.Run, func(one kubeversion.Plugin) bool { return one.Name == plugin })
}

// objectAt returns the object as a plugin first got it, or, if the request did not get that far, as it was left.
func objectAt(steps []trace.Step, plugin string, left runtime.Object) runtime.Object {
	for _, step := range steps {
		if step.Plugin == plugin {
			return step.Before
		}
	}
	return left
}
