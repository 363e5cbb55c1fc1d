package chain

import "github.com/admsim/admsim/pkg/trace"

// A Reinvocation decides, in the second round, which hooks of a plugin are called again. The rules
// are the same for webhooks and policies (W-217..W-229, W-316):
// kubernetes/apiserver:pkg/admission/plugin/webhook/mutating/reinvocationcontext.go and
// kubernetes/apiserver:pkg/admission/plugin/policy/mutating/reinvocationcontext.go.
//
// Report every hook of the first round to [Reinvocation.Took], then every hook of the second round as it is called. A
// nil Reinvocation stands for the first round, in which every hook is due.
type Reinvocation struct {
	due      map[string]bool // hooks to call again, by ID
	eligible map[string]bool // called, with IfNeeded, and the object has not changed since then
	calls    map[string]int  // how many calls were made for each hook
}

// NewReinvocation returns a Reinvocation that does not know any hooks of the first round yet.
func NewReinvocation() *Reinvocation {
	return &Reinvocation{due: map[string]bool{}, eligible: map[string]bool{}, calls: map[string]int{}}
}

// Took records that h was called, and whether it changed the object. A change makes the hooks called before h due. Only
// then does h itself become eligible, so no hook makes itself due (W-218, W-224).
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

// Changed records that the object changed after all hooks called so far.
func (r *Reinvocation) Changed() {
	for id := range r.eligible {
		r.due[id] = true
	}
	clear(r.eligible)
}

// Due reports whether a hook that applies has to be called.
func (r *Reinvocation) Due(id string) bool { return r == nil || r.due[id] }

// Calls returns how many calls were made for a hook.
func (r *Reinvocation) Calls(id string) int { return r.calls[id] }

// Why explains why a hook that applies is not due. asked is the verb to use: webhooks are "called",
// policies are "evaluated".
func (r *Reinvocation) Why(id, asked string) string {
	switch _, before := r.calls[id]; {
	case r.eligible[id]:
		return "not " + asked + " again: nothing changed the object after it"
	case before:
		return "not " + asked + " again: its reinvocationPolicy is Never"
	}
	return "not " + asked + " in the second round: it did not apply in the first"
}
