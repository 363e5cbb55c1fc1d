package policy

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/trace"
)

// reinvocationAfter replays the first round. now is the object at the beginning of the second round. The result is nil
// if earlier is nil.
func reinvocationAfter(earlier *trace.Step, now runtime.Object) *chain.Reinvocation {
	if earlier == nil {
		return nil
	}
	r := chain.NewReinvocation()
	for _, h := range earlier.Hooks {
		if h.Called {
			r.Took(h, h.After != nil)
		}
	}
	// A policy whose mutation succeeded makes itself due as well, whether it changed anything or not; and so do changes
	// by other plugins (W-317).
	if leavesObject(earlier.Hooks) || !semantic.DeepEqual(now, earlier.After) {
		r.Changed()
	}
	return r
}

// leavesObject reports whether the plugin passes on the object of its last mutation: it does if any mutation of an
// object in that version succeeded (W-314, W-318).
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

// mutated reports whether a mutation of h succeeded.
func mutated(h trace.Hook) bool {
	return slices.ContainsFunc(h.Expressions, func(e trace.Expression) bool {
		return strings.HasPrefix(e.Field, mutationsField) && e.Error == ""
	})
}
