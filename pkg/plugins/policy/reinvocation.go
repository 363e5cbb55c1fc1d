package policy

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/trace"
)

// A reinvocation is the second round of the plugin: which policies are asked again. It
// follows from the step of the first round, and goes on from there (W-316:
// kubernetes/apiserver:pkg/admission/plugin/policy/mutating/reinvocationcontext.go).
type reinvocation struct {
	due      map[string]bool // to be asked again, by ID of their hooks
	eligible map[string]bool // asked, IfNeeded, and nothing changed the object since
	asked    map[string]bool // in the first round
}

// reinvocationAfter replays the first round. now is the object as the second round finds it;
// nil where earlier is.
func reinvocationAfter(earlier *trace.Step, now runtime.Object) *reinvocation {
	if earlier == nil {
		return nil
	}
	r := &reinvocation{due: map[string]bool{}, eligible: map[string]bool{}, asked: map[string]bool{}}
	for _, h := range earlier.Hooks {
		if h.Called {
			r.asked[h.ID] = true
			r.took(h, h.After != nil)
		}
	}
	// One whose mutation succeeded makes itself due as well, whether it changed anything or
	// not; and so do changes of other plugins (W-317).
	if leavesObject(earlier.Hooks) || !semantic.DeepEqual(now, earlier.After) {
		r.makeDue()
	}
	return r
}

// leavesObject tells whether the plugin hands on the object of its last mutation: it does
// where any mutation of an object in that version succeeded (W-314, W-318).
func leavesObject(hooks []trace.Hook) bool {
	var last trace.Hook
	for _, h := range hooks {
		if h.Called {
			last = h
		}
	}
	return last.Called && slices.ContainsFunc(hooks, func(h trace.Hook) bool {
		return h.Called && h.Kind == last.Kind && mutated(h)
	})
}

// mutated tells whether a mutation of h succeeded.
func mutated(h trace.Hook) bool {
	return slices.ContainsFunc(h.Expressions, func(e trace.Expression) bool {
		return strings.HasPrefix(e.Field, mutationsField) && e.Error == ""
	})
}

// took notes that a policy was asked. Its change makes those before it due; it becomes
// eligible only then.
func (r *reinvocation) took(h trace.Hook, changed bool) {
	if r == nil {
		return
	}
	if changed {
		r.makeDue()
	}
	if h.Reinvocable {
		r.eligible[h.ID] = true
	}
}

func (r *reinvocation) makeDue() {
	for id := range r.eligible {
		r.due[id] = true
	}
	clear(r.eligible)
}

// why says why a policy that applies is not asked again.
func (r *reinvocation) why(id string) string {
	switch {
	case r.eligible[id]:
		return "not asked again: nothing changed the object after it"
	case r.asked[id]:
		return "not asked again: its reinvocationPolicy is Never"
	}
	return "not asked in the second round: it did not apply in the first"
}
