package policy

import (
	"context"
	"reflect"
	"slices"

	"github.com/admsim/admsim/internal/params"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// order returns the order in which the server executes the invocations, if it differs from the order of this round, or
// else nil. The server executes policies, the bindings of each and their params in any order (W-271), except that those
// of static manifests come first, by name. The order only matters if one of them changes the object, and the reverse
// order has another result.
func (r *round) order(ctx context.Context, again func() *round) []int {
	static := 0
	for static < len(r.chosen) && r.chosen[static].index < r.hooks.static {
		static++
	}
	if len(r.chosen)-static < 2 || !slices.ContainsFunc(r.step.Hooks, func(h trace.Hook) bool { return h.Outcome == trace.Changed }) {
		return nil
	}
	opposite := again()
	backward := indices(len(r.chosen))
	slices.Reverse(backward[static:])
	opposite.run(ctx, backward)
	if r.endsAs(opposite) {
		return nil
	}

	var active []int // the indices of invocations that do something in one of the two rounds
	for i, invocation := range r.chosen[static:] {
		if r.affects(invocation) || opposite.affects(invocation) {
			active = append(active, static+i)
		}
	}
	order := r.anyOrder(admission.CourseOf(ctx), active, invocation.policyName, invocation.bindingName, invocation.paramName)
	if slices.IsSorted(order) {
		return nil
	}
	all := indices(len(r.chosen))
	for i, at := range active {
		all[at] = order[i]
	}
	return all
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func (i invocation) policyName() string  { return i.hook.name }
func (i invocation) bindingName() string { return i.binding.name }
func (i invocation) paramName() string   { return params.Text(i.param) }

// anyOrder returns invocations in an order that keeps those of a group together, and those of the smaller groups in it.
func (r *round) anyOrder(c *admission.Course, list []int, group ...func(invocation) string) []int {
	if len(group) == 0 || len(list) < 2 {
		return list
	}
	var groups [][]int
	for i, at := range list {
		if i == 0 || group[0](r.chosen[at]) != group[0](r.chosen[list[i-1]]) {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], at)
	}
	order := []int{0}
	if len(groups) > 1 {
		order = c.Order(len(groups), "the object depends on the order of the policies, and the server applies them in any order")
	}
	var all []int
	for _, at := range order {
		all = append(all, r.anyOrder(c, groups[at], group[1:]...)...)
	}
	return all
}

// ordered returns the invocations in the given order. Nil: unchanged.
func ordered(list []invocation, order []int) []invocation {
	if order == nil {
		return list
	}
	all := make([]invocation, len(list))
	for i, at := range order {
		all[i] = list[at]
	}
	return all
}

// endsAs reports whether the two rounds have the same result.
func (r *round) endsAs(other *round) bool {
	return r.step.Outcome == other.step.Outcome && reflect.DeepEqual(r.step.Denial, other.step.Denial) &&
		semantic.DeepEqual(r.step.After, other.step.After) && (r.unknown == nil) == (other.unknown == nil)
}

// affects reports whether an invocation changes the object in the round, or refuses it.
func (r *round) affects(i invocation) bool {
	id := i.record(i.param).ID
	return slices.ContainsFunc(r.step.Hooks, func(h trace.Hook) bool {
		return h.ID == id && (h.Outcome == trace.Changed || h.Outcome.Ends())
	})
}
