package policy

import (
	"context"
	"reflect"
	"slices"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// order returns the order in which the server goes through the policies that were chosen, where that is another one than
// this round took; else nil. The server takes them out of a map. That only matters if a policy changes the object, and the
// opposite order does not end in the same way.
func (r *round) order(ctx context.Context, again func() *round) []int {
	policies := policiesOf(r.chosen)
	if len(policies) < 2 || !slices.ContainsFunc(r.step.Hooks, func(h trace.Hook) bool { return h.Outcome == trace.Changed }) {
		return nil
	}
	opposite := again()
	backward := indices(len(policies))
	slices.Reverse(backward)
	opposite.run(ctx, backward)
	if r.endsAs(opposite) {
		return nil
	}

	var does []int // something, in one of the two
	for i, policy := range policies {
		if r.does(policy) || opposite.does(policy) {
			does = append(does, i)
		}
	}
	order := admission.CourseOf(ctx).Order(len(does), "several policies apply that leave another object in another order, and the server takes them in any order")
	if slices.IsSorted(order) {
		return nil
	}
	all := indices(len(policies))
	for i, at := range does {
		all[at] = does[order[i]]
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

// policiesOf are the names of the policies that are invoked, in order.
func policiesOf(list []invocation) (names []string) {
	for _, i := range list {
		if len(names) == 0 || names[len(names)-1] != i.hook.name {
			names = append(names, i.hook.name)
		}
	}
	return names
}

// ordered are the invocations with their policies in another order. Nil: as they are.
func ordered(list []invocation, order []int) []invocation {
	if order == nil {
		return list
	}
	policies := policiesOf(list)
	all := make([]invocation, 0, len(list))
	for _, at := range order {
		for _, i := range list {
			if i.hook.name == policies[at] {
				all = append(all, i)
			}
		}
	}
	return all
}

// endsAs reports whether the two rounds come to the same end.
func (r *round) endsAs(other *round) bool {
	return r.step.Outcome == other.step.Outcome && reflect.DeepEqual(r.step.Denial, other.step.Denial) &&
		semantic.DeepEqual(r.step.After, other.step.After) && (r.unknown == nil) == (other.unknown == nil)
}

// does reports whether a policy changes the object in the round, or refuses it.
func (r *round) does(policy string) bool {
	return slices.ContainsFunc(r.step.Hooks, func(h trace.Hook) bool {
		return h.Configuration == policy && (h.Outcome == trace.Changed || h.Outcome.Ends())
	})
}
