package states

import (
	"net/http"
	"slices"
	"time"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
)

// An ownWrite is a write of the server itself, which it did while it answered the request of a client: before it stores
// a pod, it counts the pod in the quotas of the namespace; before a service, it stores an IPAddress for each address. It
// does this with a request of its own, which ends before that of the client, so the log has it first.
type ownWrite struct {
	began  time.Time
	before change // back to what the write found
}

// longest is how long a request may take.
const longest = time.Minute

func isOwn(r *recording.Record) bool {
	return r.User.Username == admission.APIServer().Username && !r.Time.IsZero()
}

// ownWrites are those of the last minute, the latest last.
type ownWrites []ownWrite

// note notes what an object of a state is before the server itself changes it.
func (all *ownWrites) note(r *recording.Record, key cluster.Key, state *cluster.State) {
	for len(*all) > 0 && r.Time.Sub((*all)[0].began) > longest {
		*all = (*all)[1:]
	}
	before := change{key: key}
	if object, ok := state.Find(key); ok {
		before.object = &object
	}
	*all = append(*all, ownWrite{r.Time, before})
}

// without returns a state without what the server itself has written since a time.
func (all ownWrites) without(state *cluster.State, since time.Time) *cluster.State {
	for _, w := range slices.Backward(all) {
		if !w.began.Before(since) {
			state = w.before.on(state)
		}
	}
	return state
}

// found returns the part of a state that a request found: without what the server itself has written since it received
// the request. Of several requests at the same time, nobody knows which write belongs to which of them, so a request
// that did not fit may have been refused for what another one had written.
func (t *Tracker) found(r *recording.Record, state *cluster.State, written ownWrites) *cluster.State {
	if r.Time.IsZero() || didNotFit(r) {
		return state
	}
	return written.without(t.written.without(state, r.Time), r.Time)
}

// didNotFit reports whether a quota or a disruption budget may have refused a request, which then has changed neither.
// Quotas are checked last: any other refusal comes before them, whatever they are, or after the object was counted, such
// as that it exists already.
func didNotFit(r *recording.Record) bool {
	return r.Answer.Code == http.StatusForbidden || r.Answer.Code == http.StatusTooManyRequests
}
