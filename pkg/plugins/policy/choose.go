package policy

import (
	"fmt"

	"github.com/admsim/admsim/internal/params"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/matcher"
	"github.com/admsim/admsim/pkg/trace"
)

// A choice is a policy with one of its bindings, where both apply to a request, or it cannot be decided whether they
// do.
type choice[E any] struct {
	index   int // of the policy among all
	hook    *hook[E]
	binding *binding // nil if the policy alone decided
	result  matcher.Result
	bound   int // the rule of the binding that matched, or NoRule

	// err is a configuration error; the policy's failurePolicy decides about it (W-275).
	err error
	// skipped says why they do not apply, and decided which condition decided that. Such choices are only listed for
	// explanations.
	skipped string
	decided trace.Criterion
}

// misconfigured returns the server's message about a policy or binding that cannot be evaluated.
func (c choice[E]) misconfigured(err error) string {
	what := "binding"
	if c.binding == nil {
		what = "policy"
	}
	return fmt.Sprintf("failed to configure %s: %v", what, err)
}

// choose returns the choices for a request, in order. It does not consider match conditions, since they may depend on
// params.
func (a *hooks[E]) choose(o Options, req admission.Request, w matcher.World) []choice[E] {
	var list []choice[E]
	for _, i := range a.candidates(o, req, w) {
		h := &a.list[i]
		c := choice[E]{index: i, hook: h, bound: trace.NoRule}
		if len(h.bindings) == 0 { // W-270
			if o.Explain {
				c.skipped, c.decided = "no binding names the policy", trace.Criterion{Part: trace.Bindings}
				list = append(list, c)
			}
			continue
		}
		c.result = h.matcher.Match(req, w)
		c.decided = c.result.Criterion()
		switch {
		case c.result.Cause != nil:
			c.err = c.result.Cause
		case !c.result.Applies:
			if !o.Explain {
				continue
			}
			c.skipped = h.matcher.Explain(req, w, c.result)
		case h.paramKind != nil:
			_, c.err = params.World{State: w.State, Resources: o.Resources}.Resource(*h.paramKind)
		}
		if c.err != nil || c.skipped != "" {
			list = append(list, c)
			continue
		}
		for _, b := range h.bindings {
			if c, listed := c.with(b, o, req, w); listed {
				list = append(list, c)
			}
		}
	}
	return list
}

// lookUp records the lookups of the namespace of a request by policies and their bindings. If last is not nil, it ended the
// request.
func (a *hooks[E]) lookUp(step *trace.Step, o Options, req admission.Request, w matcher.World, last *choice[E]) {
	w.LookUp(step, req, func(yield func(*matcher.Matcher) bool) {
		for i := range a.list {
			h := &a.list[i]
			if len(h.bindings) == 0 {
				continue
			}
			if !yield(h.matcher) {
				return
			}
			if !h.matcher.Match(req, w).Applies || h.paramKind != nil && !h.isServed(o, w) {
				continue
			}
			for _, b := range h.bindings {
				if b.matcher != nil && !yield(b.matcher) || last != nil && i == last.index && b == last.binding {
					return
				}
			}
		}
	})
}

// isServed reports whether the server knows the kind of the params.
func (h *hook[E]) isServed(o Options, w matcher.World) bool {
	_, err := params.World{State: w.State, Resources: o.Resources}.Resource(*h.paramKind)
	return err == nil
}

// with returns the choice for a binding of a policy that applies. listed is false if there is nothing to report.
func (c choice[E]) with(b *binding, o Options, req admission.Request, w matcher.World) (_ choice[E], listed bool) {
	c.binding = b
	if b.matcher == nil {
		return c, true
	}
	r := b.matcher.Match(req, w)
	switch {
	case r.Cause != nil:
		c.err, c.decided = r.Cause, ofBinding(r)
	case !r.Applies && !o.Explain:
		return c, false
	case !r.Applies:
		c.skipped, c.decided = "matchResources of the binding: "+b.matcher.Explain(req, w, r), ofBinding(r)
	default:
		c.bound = r.Rule
	}
	return c, true
}

// without returns the choice for a binding that allows its params to be missing, which they are.
func (c choice[E]) without(missing error) choice[E] {
	c.skipped, c.decided = missing.Error(), trace.Criterion{Part: trace.ParamRef, OfBinding: true}
	return c
}

func ofBinding(r matcher.Result) trace.Criterion {
	c := r.Criterion()
	c.OfBinding = true
	return c
}

// whyMatched explains why a policy is evaluated under a binding, if reasons are requested: of explains why the policy
// itself applies.
func (o Options) whyMatched(of string, b *binding, req admission.Request, w matcher.World) string {
	switch {
	case !o.Explain:
		return ""
	case b.matcher == nil:
		return of + "; the binding is for all that the policy matches"
	}
	return of + "; matchResources of the binding: " + b.matcher.Explain(req, w, b.matcher.Match(req, w))
}

// candidates returns the indices of the policies that may apply to req: those that can match, or all of them if skipped
// policies are to be explained.
func (a *hooks[E]) candidates(o Options, req admission.Request, w matcher.World) []int {
	if !o.Explain {
		return a.index.Candidates(req, w)
	}
	all := make([]int, len(a.list))
	for i := range all {
		all[i] = i
	}
	return all
}
