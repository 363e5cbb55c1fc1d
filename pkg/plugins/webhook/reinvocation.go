package webhook

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/trace"
)

// A reinvocation is the second round of the plugin: who is to be called again. It follows
// from the step of the first round, and goes on from there (section 21:
// kubernetes/apiserver:pkg/admission/plugin/webhook/mutating/reinvocationcontext.go).
type reinvocation struct {
	due      map[string]bool // hooks to call again, by ID
	eligible map[string]bool // called, IfNeeded, and nothing changed the object since
	calls    map[string]int  // calls made in the first round
}

// reinvocationAfter replays the first round. now is the object as the second round finds
// it; nil where earlier is.
func reinvocationAfter(earlier *trace.Step, now runtime.Object) *reinvocation {
	if earlier == nil {
		return nil
	}
	r := &reinvocation{due: map[string]bool{}, eligible: map[string]bool{}, calls: map[string]int{}}
	for _, h := range earlier.Hooks {
		if h.Outcome == trace.Skipped {
			continue
		}
		r.calls[h.ID] = len(h.Calls)
		r.took(h, h.Outcome == trace.Changed)
	}
	if !semantic.DeepEqual(now, earlier.After) { // other plugins changed it (W-222)
		r.makeDue()
	}
	return r
}

// took notes that h was called. Its change makes those before it due; it becomes eligible
// only then, so that nobody makes itself due (W-218, W-224).
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

// why says why a hook that applies is not called again.
func (r *reinvocation) why(id string) string {
	switch {
	case r.eligible[id]:
		return "not called again: nothing changed the object after it"
	case r.calls[id] > 0:
		return "not called again: its reinvocationPolicy is Never"
	}
	return "not called in the second round: it did not apply in the first"
}
