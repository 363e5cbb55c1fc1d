package webhook

import (
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/matcher"
	"github.com/admsim/admsim/pkg/trace"
)

// A Validating is the plugin ValidatingAdmissionWebhook for the configurations of one cluster.
type Validating struct{ hooks *hooks }

// NewValidating compiles the validating webhook configurations of s, or reuses what before, which may be nil, has
// compiled if they are the same.
func NewValidating(s *cluster.State, o Options, before *Validating) *Validating {
	var compiled *hooks
	if before != nil {
		compiled = before.hooks
	}
	return &Validating{newHooks(s, validatingConfigurations, trace.Validating, o, compiled)}
}

// AnsweredBy returns the plugin with other backends for its webhooks.
func (p *Validating) AnsweredBy(backends func(configuration, webhook string) dispatch.Backend) *Validating {
	return &Validating{p.hooks.answeredBy(backends)}
}

// Validate calls the webhooks that apply concurrently, and waits for all of them. Which ones apply is decided before
// any webhook is called (W-129): kubernetes/apiserver:pkg/admission/plugin/webhook/validating/dispatcher.go.
func (p *Validating) Validate(ctx context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	hooks, because := p.hooks.forRequest(req)
	if hooks == nil {
		return exempt(req, because), nil
	}
	v := &validation{
		hooks:    hooks,
		req:      req,
		world:    hooks.world(s),
		versions: map[schema.GroupVersionKind]*versioned{},
	}
	if err := v.choose(ctx); err != nil {
		return trace.Step{}, err
	}
	hooks.lookUp(&v.step, req, v.world, v.decided)
	if !v.step.Outcome.Ends() && len(v.called) > 0 {
		if err := v.call(ctx); err != nil {
			return trace.Step{}, err
		}
	}
	summarize(&v.step, len(hooks.list))
	return v.step, nil
}

// A validation is the validation of one request by the plugin.
type validation struct {
	*hooks
	req      admission.Request
	world    matcher.World
	from     dispatch.From // of all calls
	versions map[schema.GroupVersionKind]*versioned

	step    trace.Step
	decided int // how many hooks were decided about
	called  []dispatch.Hook
	reviews []*dispatch.Review
	places  []int // where in step.Hooks the record of each hook goes
}

// choose decides about every hook. If that is impossible for a hook, the request ends.
func (v *validation) choose(ctx context.Context) error {
	v.from = dispatch.From{State: v.world.State, At: v.At}
	candidates := v.candidates(v.req, v.world, -1)
	n := len(candidates)
	v.step.Hooks = slices.Grow(v.step.Hooks, n)
	v.called, v.reviews = make([]dispatch.Hook, 0, n), make([]*dispatch.Review, 0, n)
	v.places = make([]int, 0, n)
	for _, i := range candidates {
		h := v.list[i]
		v.decided = i + 1
		r, err := v.applies(ctx, h, v.req, v.world, v.as)
		if err == nil && r.Applies {
			_, err = v.as(r.Kind)
		}
		if errors.Is(err, objects.ErrNoConverter) {
			return err
		}
		if err != nil {
			r = matcher.Result{Denial: admission.StatusOf(err)}
		}
		if !r.Applies {
			v.skip(h, r)
			if r.Denial != nil {
				return nil
			}
			continue
		}
		called := h.Hook
		called.From, called.Before = &v.from, v.req.Earlier[h.ID]
		v.called = append(v.called, called)
		v.reviews = append(v.reviews, v.versions[r.Kind].review(v.Types, v.req, r))
		v.places = append(v.places, len(v.step.Hooks))
		var record trace.Hook
		v.applied(&record, h, v.req, v.world, r)
		v.step.Hooks = append(v.step.Hooks, record)
	}
	v.decided = len(v.list)
	return nil
}

// as converts the objects once for each version (W-115).
func (v *validation) as(kind schema.GroupVersionKind) (*versioned, error) {
	if known, ok := v.versions[kind]; ok {
		return known, nil
	}
	converted, err := v.validated(v.req, kind)
	if err != nil {
		return nil, err
	}
	v.versions[kind] = converted
	return converted, nil
}

func (v *validation) skip(h hook, r matcher.Result) {
	if r.Denial == nil {
		if v.Explain {
			v.step.Hooks = append(v.step.Hooks, v.skipped(h, v.req, v.world, r))
		}
		return
	}
	record := v.skipped(h, v.req, v.world, r)
	v.dropUncalled()
	v.step.Hooks = append(v.step.Hooks, record)
	endBy(&v.step, record)
}

// dropUncalled removes the hooks that were to be called, if the request ends before.
func (v *validation) dropUncalled() {
	v.step.Hooks = slices.DeleteFunc(v.step.Hooks, func(h trace.Hook) bool { return h.Outcome == "" })
}

// call calls the hooks that apply. Of several refusals the first one counts (W-238); warnings and annotations are those
// of all hooks (W-239), in the order of their answers (W-256).
func (v *validation) call(ctx context.Context) error {
	if left, limited := v.req.Remaining(); limited && left == 0 { // W-161
		v.step.Outcome, v.step.Because = trace.Denied, "the request's time was over before any webhook was called"
		v.step.Denial = admission.StatusOf(apierrors.NewTimeoutError("request did not complete within requested timeout", 0))
		v.dropUncalled()
		return nil
	}
	outcomes, err := v.Dispatcher.CallAll(ctx, v.called, v.reviews)
	if err != nil {
		return err
	}
	for i, o := range outcomes {
		record := &v.step.Hooks[v.places[i]]
		o.Hook.Decided, o.Hook.Matched, o.Hook.Expressions = record.Decided, record.Matched, record.Expressions
		*record = o.Hook
		v.step.Change(o.Changes...)
		v.step.Duration = max(v.step.Duration, o.Hook.Duration)
	}
	finished := dispatch.ByCompletion(outcomes)
	for _, o := range inAnyOrder(ctx, finished) {
		v.step.Warn(o.Hook.Warnings...)
		v.step.Annotate(o.Hook.Annotations...)
	}
	var first time.Duration
	for _, o := range finished {
		switch {
		case !o.Hook.Outcome.Ends():
		case !v.step.Outcome.Ends():
			endBy(&v.step, o.Hook)
			first = at(o)
		case at(o) == first:
			v.step.MayRefuse("several webhooks refuse at the same moment, and the server reports the one whose answer it handles first", o.Hook)
		}
	}
	return nil
}

func at(o dispatch.Outcome) time.Duration { return o.Hook.Start + o.Hook.Duration }

// inAnyOrder returns outcomes in the order in which the server records their warnings and annotations. This is the
// given order, except that outcomes of the same moment are in any order. It does not affect which of them refuses the
// request: the server decides that later.
func inAnyOrder(ctx context.Context, finished []dispatch.Outcome) []dispatch.Outcome {
	speaks := func(o dispatch.Outcome) bool { return len(o.Hook.Warnings)+len(o.Hook.Annotations) > 0 }
	i := slices.IndexFunc(finished, speaks)
	if i < 0 || !slices.ContainsFunc(finished[i+1:], speaks) {
		return finished
	}
	ordered := make([]dispatch.Outcome, 0, len(finished))
	for len(finished) > 0 {
		n := 1
		for n < len(finished) && at(finished[n]) == at(finished[0]) {
			n++
		}
		together := finished[:n]
		paths := make([][]string, n)
		for i, o := range together {
			paths[i] = []string{o.Hook.ID}
		}
		for _, i := range admission.CourseOf(ctx).Arrange(paths, func(i int, say func(in, text string, once bool)) {
			for _, text := range together[i].Hook.Warnings {
				say("warnings", text, false)
			}
			for _, a := range together[i].Hook.Annotations {
				say("auditAnnotations."+a.Key, a.Value, true)
			}
		}, "several webhooks answer at the same moment") {
			ordered = append(ordered, together[i])
		}
		finished = finished[n:]
	}
	return ordered
}
