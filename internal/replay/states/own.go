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
// a pod, it counts the pod in the quotas of the namespace. It does this with a request of its own, which ends before
// that of the client, so the log has it first.
type ownWrite struct {
	began  time.Time
	before change // back to what the write found
}

// longest is how long a request may take.
const longest = time.Minute

func isOwn(r *recording.Record) bool {
	return r.User.Username == admission.APIServer().Username && !r.Time.IsZero()
}

// willWrite notes what an object is before the server itself changes it.
func (v *view) willWrite(r *recording.Record, key cluster.Key) {
	for len(v.written) > 0 && r.Time.Sub(v.written[0].began) > longest {
		v.written = v.written[1:]
	}
	before := change{key: key}
	if object, ok := v.state.Find(key); ok {
		before.object = &object
	}
	v.written = append(v.written, ownWrite{r.Time, before})
}

// found returns the state that a request found: without what the server itself has written since it received the
// request. Of several requests at the same time, nobody knows which write belongs to which of them, so a request that
// did not fit may have been refused for what another one had written.
func (v *view) found(r *recording.Record) *cluster.State {
	state := v.state
	if isOwn(r) || r.Time.IsZero() || didNotFit(r) {
		return state
	}
	for _, w := range slices.Backward(v.written) {
		if !w.began.Before(r.Time) {
			state = w.before.on(state)
		}
	}
	return state
}

// didNotFit reports whether a quota or a disruption budget may have refused a request, which then has changed neither.
// Quotas are checked last: any other refusal comes before them, whatever they are, or after the object was counted, such
// as that it exists already.
func didNotFit(r *recording.Record) bool {
	return r.Answer.Code == http.StatusForbidden || r.Answer.Code == http.StatusTooManyRequests
}
