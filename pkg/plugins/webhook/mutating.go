package webhook

import (
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/matcher"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/trace"
)

// A Mutating is the plugin MutatingAdmissionWebhook for the configurations of one cluster.
type Mutating struct{ hooks *hooks }

// NewMutating compiles the mutating webhook configurations of s, or reuses what before, which may be nil, has compiled
// if they are the same.
func NewMutating(s *cluster.State, o Options, before *Mutating) *Mutating {
	var compiled *hooks
	if before != nil {
		compiled = before.hooks
	}
	return &Mutating{newHooks(s, mutatingConfigurations, trace.Mutating, o, compiled)}
}

// AnsweredBy returns the plugin with other backends for its webhooks.
func (p *Mutating) AnsweredBy(backends func(configuration, webhook string) dispatch.Backend) *Mutating {
	return &Mutating{p.hooks.answeredBy(backends)}
}

// Mutate calls the webhooks that apply, one after the other, each with the object as changed by the previous ones
// (W-197): kubernetes/apiserver:pkg/admission/plugin/webhook/mutating/dispatcher.go.
func (p *Mutating) Mutate(ctx context.Context, s *cluster.State, req admission.Request, earlier *trace.Step) (trace.Step, error) {
	hooks, because := p.hooks.forRequest(req)
	if hooks == nil {
		return exempt(req, because), nil
	}
	m := &mutation{
		hooks: hooks,
		world: hooks.world(s),
		start: req,
		req:   req,
		held:  req.Object,
		again: reinvocationAfter(earlier, req.Object),
		step:  trace.Step{Before: req.Object, After: req.Object},
	}
	if err := m.run(ctx); err != nil {
		return trace.Step{}, err
	}
	hooks.lookUp(&m.step, req, m.world, m.decided)
	m.step.Duration = m.req.Elapsed - m.start.Elapsed
	summarize(&m.step, len(hooks.list))
	return m.step, nil
}

// A mutation is one round of the plugin for one request.
type mutation struct {
	*hooks
	world matcher.World
	from  dispatch.From // of the current call
	start admission.Request
	req   admission.Request   // with the object as left by the hooks so far, in their version
	again *chain.Reinvocation // nil in the first round

	decided int // how many hooks were decided about

	held  runtime.Object // in the version of the request, with the patches that were carried back
	now   *versioned     // one copy, shared by all hooks and converted as needed (W-114)
	dirty bool           // a patch was applied to it since it was created
	step  trace.Step
}

func (m *mutation) run(ctx context.Context) error {
	queue := m.candidates(m.req, m.world, -1)
	if !m.inTurn() {
		return m.runChosen(ctx, queue)
	}
	m.step.Hooks = slices.Grow(m.step.Hooks, len(queue))
	for len(queue) > 0 {
		h := m.list[queue[0]]
		queue = queue[1:]
		before := m.req.Object
		m.decided = h.Index + 1
		if err := m.callIfDue(ctx, h); err != nil || m.step.Outcome.Ends() {
			return err
		}
		if m.req.Object != before { // other hooks may apply now
			queue = m.candidates(m.req, m.world, h.Index)
		}
	}
	m.decided = len(m.list)
	return m.finish()
}

// inTurn reports whether each hook is decided about when its turn comes.
func (m *mutation) inTurn() bool { return m.Types.Release().Has(kubeversion.WebhooksChosenInTurn) }

// matched returns the request that hooks are matched with.
func (m *mutation) matched() admission.Request {
	if m.inTurn() {
		return m.req
	}
	return m.reviewed()
}

// runChosen decides about all hooks with the object that the request came with, and then calls those that apply. If a
// hook cannot be decided about, the request ends before any hook is called (W-334).
func (m *mutation) runChosen(ctx context.Context, queue []int) error {
	type choice struct {
		hook hook
		matcher.Result
	}
	var chosen []choice
	for _, i := range queue {
		m.decided = i + 1
		r, err := m.applies(ctx, m.list[i], m.start, m.world, m.as)
		if err != nil {
			return m.refuse(m.list[i], err)
		}
		if r.Denial != nil {
			m.skip(m.list[i], r)
			return nil
		}
		chosen = append(chosen, choice{m.list[i], r})
	}
	m.decided = len(m.list)
	for _, c := range chosen {
		if !c.Applies {
			m.skip(c.hook, c.Result)
			continue
		}
		v, err := m.as(c.Kind)
		if err != nil {
			return m.refuse(c.hook, err)
		}
		if err := m.call(ctx, c.hook, c.Result, v); err != nil || m.step.Outcome.Ends() {
			return err
		}
	}
	return m.finish()
}

// callIfDue decides about one hook, and calls it if it applies and is due. A match that cannot be decided refuses the
// request even if the hook would not be called again (W-125).
func (m *mutation) callIfDue(ctx context.Context, h hook) error {
	r, err := m.applies(ctx, h, m.req, m.world, m.as)
	if err != nil {
		return m.refuse(h, err)
	}
	if !r.Applies {
		m.skip(h, r)
		return nil
	}
	if !m.again.Due(h.ID) {
		if m.Explain {
			record := m.skipped(h, m.req, m.world, r)
			record.Decided, record.Because = trace.Criterion{}, m.again.Why(h.ID, "called")
			m.step.Hooks = append(m.step.Hooks, record)
		}
		return nil
	}
	v, err := m.as(r.Kind)
	if err != nil {
		return m.refuse(h, err)
	}
	return m.call(ctx, h, r, v)
}

// as returns the objects in a version. A changed copy is converted through the version of the request, so that what
// conversions lose is lost (W-114). After that it is not changed any more, and is converted back only once.
func (m *mutation) as(kind schema.GroupVersionKind) (*versioned, error) {
	if m.now != nil && m.now.kind == kind {
		return m.now, nil
	}
	if err := m.carryBack(); err != nil {
		return nil, conversionFailed(conversionFailed(err))
	}
	req := m.start
	req.Elapsed, req.Object = m.req.Elapsed, m.held
	v, err := inVersion(m.Types, req, kind)
	if err != nil {
		return nil, conversionFailed(err) // wrapped twice here, and once elsewhere (W-113)
	}
	m.now = v
	m.req.Object = v.object
	return v, nil
}

func (m *mutation) call(ctx context.Context, h hook, r matcher.Result, v *versioned) error {
	called := h.Hook
	m.from = dispatch.From{State: m.world.State, At: m.At}
	called.From, called.Before = &m.from, m.start.Earlier[h.ID]
	if m.again != nil {
		called.Round, called.Earlier = 1, m.again.Calls(h.ID)
	}
	review := v.review(m.Types, m.reviewed(), r)
	outcome, err := m.Dispatcher.Call(ctx, called, review)
	if err != nil {
		return err
	}
	if len(outcome.Changes) > 0 { // the next webhook finds them
		m.step.Change(outcome.Changes...)
		m.world.State = m.world.State.Doing(outcome.Changes)
	}
	record := outcome.Hook
	m.applied(&record, h, m.matched(), m.world, r)
	changed, denial := m.apply(&record, v, outcome, called.Round)
	if denial != nil {
		denial = review.Refusal(trace.Mutating, denial)
		record.Outcome, record.Denial, record.Because = trace.Failed, denial, denial.Message
	}
	if m.Types.Release().Has(kubeversion.WebhookAnnotations) {
		record.Annotations = append(record.Annotations, mutationAnnotation(record, called.Round, changed))
	}
	m.again.Took(record, changed)
	m.note(record, changed)
	return nil
}

// reviewed returns the request as reviews show it, with the original kind.
func (m *mutation) reviewed() admission.Request {
	req := m.start
	req.Elapsed = m.req.Elapsed
	return req
}

// apply patches the shared copy. Errors in the patch itself are fatal, regardless of the failure policy (W-209).
func (m *mutation) apply(record *trace.Hook, v *versioned, asks dispatch.Outcome, round int) (changed bool, denial *metav1.Status) {
	if asks.Patch == nil || record.Outcome.Ends() {
		return false, nil
	}
	object, changed, err := m.patched(v, asks.Operations)
	switch {
	case errors.Is(err, patch.ErrPanic): // the server does not recover from this here (W-190)
		return false, admission.StatusOf(admission.ErrPanicked)
	case err != nil:
		record.PatchFault, record.Hint = faultOf(asks.Operations, v.kind.Kind, err)
		return false, admission.StatusOf(apierrors.NewInternalError(err))
	}
	// changed refers to the patch itself, before defaults are set (W-214).
	record.Patch = asks.Patch
	if m.Types.Release().Has(kubeversion.WebhookAnnotations) {
		record.Annotations = append(record.Annotations, patchAnnotation(*record, asks.Operations, round, m.Types.Release()))
	}
	record.Before = v.object
	if object.GetObjectKind().GroupVersionKind() == v.kind {
		object = m.Types.DefaultVersion(object)
	}
	record.After = object
	if changed {
		record.Outcome = trace.Changed
	}
	m.dirty = true
	m.now = &versioned{kind: v.kind, object: object, objectJSON: encoded(m.Types, object), old: v.old, oldJSON: v.oldJSON}
	m.req.Object = object
	return changed, nil
}

// patched returns the result of a patch for the shared copy.
func (m *mutation) patched(v *versioned, operations patch.Patch) (object runtime.Object, changed bool, err error) {
	if r, ok := m.Resources.Resource(m.start.Resource); ok && r.CRD != nil && m.start.Subresource == "scale" {
		return m.Types.PatchTree(v.object, operations, v.objectJSON)
	}
	return m.Types.Patch(v.object, v.kind, operations, v.objectJSON)
}

// note adds the record of a hook to the step, with its effects on the whole.
func (m *mutation) note(record trace.Hook, changed bool) {
	m.req.Elapsed += record.Duration
	m.step.Hooks = append(m.step.Hooks, record)
	m.step.Warn(record.Warnings...)
	m.step.Annotate(record.Annotations...)
	if changed && m.Types.Release().Has(kubeversion.ObjectSelectors) { // earlier releases have no second rounds
		m.step.Reinvoke()
	}
	if record.Outcome.Ends() {
		endBy(&m.step, record)
	}
}

// skip skips a hook that does not apply, or ends the request if that cannot be decided.
func (m *mutation) skip(h hook, r matcher.Result) {
	if r.Denial == nil && !m.Explain {
		return
	}
	record := m.skipped(h, m.matched(), m.world, r)
	m.step.Hooks = append(m.step.Hooks, record)
	if r.Denial != nil {
		endBy(&m.step, record)
	}
}

// refuse ends the request because its objects cannot be converted for h.
func (m *mutation) refuse(h hook, err error) error {
	if errors.Is(err, objects.ErrNoConverter) {
		return err
	}
	record := m.skipped(h, m.matched(), m.world, matcher.Result{Denial: admission.StatusOf(err)})
	record.Because = err.Error()
	m.step.Hooks = append(m.step.Hooks, record)
	endBy(&m.step, record)
	return nil
}

// carryBack converts the shared copy to the version of the request if a patch was applied to it. If a patch changed the
// kind of a custom resource, that change stays with the request: the next webhook that wants another version gets the
// kind that it asked for.
func (m *mutation) carryBack() error {
	if !m.dirty {
		return nil
	}
	object, err := m.Types.ConvertOnto(m.now.object, m.held, m.start.Kind)
	if err != nil {
		return err
	}
	m.held, m.dirty = object, false
	return nil
}

// finish carries back remaining changes. It fails if a patch changed the kind of a built-in object, and that error
// carries no status (W-202, W-211).
func (m *mutation) finish() error {
	err := m.carryBack()
	if errors.Is(err, objects.ErrNoConverter) {
		return err
	}
	if err != nil {
		m.step.Outcome, m.step.Because, m.step.Denial = trace.Denied, err.Error(), admission.StatusOf(err)
		return nil
	}
	if m.held != m.start.Object && m.Types.Differ(m.start.Object, m.held) {
		m.step.Outcome, m.step.After = trace.Changed, m.held
	}
	return nil
}
