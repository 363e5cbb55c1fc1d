package chain

import "github.com/admsim/admsim/pkg/trace"

// A Reinvocation is the second round of a plugin that asks hooks one after the other: which of
// them are to be asked again. Webhooks and policies have the same rules (W-217..W-229, W-316):
// kubernetes/apiserver:pkg/admission/plugin/webhook/mutating/reinvocationcontext.go and
// kubernetes/apiserver:pkg/admission/plugin/policy/mutating/reinvocationcontext.go.
//
// It begins with the hooks of the first round, told once more to Took, and goes on with those of
// the second. Nil is the first round, in which everybody is due.
type Reinvocation struct {
	due      map[string]bool // hooks to ask again, by ID
	eligible map[string]bool // asked, IfNeeded, and nothing changed the object since
	calls    map[string]int  // made for each hook that was asked
}

// NewReinvocation returns a second round before which nobody was asked.
func NewReinvocation() *Reinvocation {
	return &Reinvocation{due: map[string]bool{}, eligible: map[string]bool{}, calls: map[string]int{}}
}

// Took notes that h was asked. Its change makes those before it due; it becomes eligible only
// then, so that nobody makes itself due (W-218, W-224).
func (r *Reinvocation) Took(h trace.Hook, changed bool) {
	if r == nil {
		return
	}
	r.calls[h.ID] = len(h.Calls)
	if changed {
		r.Changed()
	}
	if h.Reinvocable {
		r.eligible[h.ID] = true
	}
}

// Changed notes that the object changed after all who were asked.
func (r *Reinvocation) Changed() {
	for id := range r.eligible {
		r.due[id] = true
	}
	clear(r.eligible)
}

// Due says whether a hook that applies is asked.
func (r *Reinvocation) Due(id string) bool { return r == nil || r.due[id] }

// Calls is how many calls were made for a hook.
func (r *Reinvocation) Calls(id string) int { return r.calls[id] }

// Why says why a hook that applies is not due. Asked is the word for what is done with hooks:
// webhooks are called.
func (r *Reinvocation) Why(id, asked string) string {
	switch _, before := r.calls[id]; {
	case r.eligible[id]:
		return "not " + asked + " again: nothing changed the object after it"
	case before:
		return "not " + asked + " again: its reinvocationPolicy is Never"
	}
	return "not " + asked + " in the second round: it did not apply in the first"
}
